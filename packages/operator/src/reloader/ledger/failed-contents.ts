/**
 * Which content failed on which workloads, looked up by content.
 *
 * In: the outcomes of each workload, from its note. Out: for a content, the workloads on which it failed. It holds
 * nothing that is not in the notes, so a new process that reads them knows the same.
 */
import { contentName, type FailedContent } from '../model/failed-content.ts';
import type { Note } from '../model/ledger.ts';
import { isFailure } from '../model/verify.ts';
import { type WorkloadRef, workloadKey } from '../model/workload.ts';
import { sourceOfLedgerKey } from './ledger.ts';

export class FailedContents {
  readonly #byContent = new Map<string, Map<string, FailedContent>>();
  /** The contents that failed on a workload. */
  readonly #byWorkload = new Map<string, readonly string[]>();

  of(content: string): readonly FailedContent[] {
    return [...(this.#byContent.get(content)?.values() ?? [])];
  }

  /** Replaces the entries of a workload by those of its note; undefined: it has none. True if that changes anything. */
  set(ref: WorkloadRef, note: Pick<Note, 'record' | 'outcomes'> | undefined): boolean {
    const key = workloadKey(ref);
    const before = this.#byWorkload.get(key) ?? [];
    const found = note ? failuresOf(ref, note) : [];
    for (const content of before) this.#remove(content, key);
    for (const [content, failure] of found) {
      const all = this.#byContent.get(content) ?? new Map<string, FailedContent>();
      this.#byContent.set(content, all.set(key, failure));
    }
    const now = [...new Set(found.map(([content]) => content))];
    if (now.length > 0) this.#byWorkload.set(key, now);
    else this.#byWorkload.delete(key);
    return before.length !== now.length || before.some((content) => !now.includes(content));
  }

  #remove(content: string, key: string): void {
    const all = this.#byContent.get(content);
    all?.delete(key);
    if (all?.size === 0) this.#byContent.delete(content);
  }
}

function failuresOf(
  ref: WorkloadRef,
  { record: { uid }, outcomes = [] }: Pick<Note, 'record' | 'outcomes'>,
): (readonly [content: string, failure: FailedContent])[] {
  const workload = workloadKey(ref);
  return outcomes.filter(isFailure).flatMap(({ seq, sources, message = '' }) =>
    Object.entries(sources).flatMap(([key, content]) => {
      const source = sourceOfLedgerKey(key, ref.namespace);
      return source ? [[contentName(source, content), { workload, uid, seq, message }] as const] : [];
    }),
  );
}
