/**
 * The id of a pending change: people can type it, and it stands for this content of this reload only.
 *
 * It is made of the workload, the number of the reload and the digests of those sources whose changes have to be
 * approved, or of all that changed where none has. So an approval is valid for one reload of the approved content:
 * other content has another id, and so has the same content the next time, even if a tool restores the annotation.
 */
import { formatEntry } from '../ledger/ledger.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Verdict } from '../model/decision.ts';
import { hashed } from '../model/hashed.ts';
import type { Want } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';

export interface Change {
  readonly id: string;
  readonly needsApproval: boolean;
  /** The instruction of a user for exactly this change. */
  readonly word: 'now' | 'approved' | undefined;
  /** The annotations that gave it. */
  readonly usedWords: Readonly<Record<string, string>>;
  /** A user approved another change. */
  readonly otherApproved: string | undefined;
}

export function changeOf(verdict: Verdict, want: Want, workload: WorkloadFacts): Change {
  const approved = new Set(want.sources.flatMap(({ key, approval }) => (approval ? [key] : [])));
  const changed = verdict.differences.filter(({ reload }) => reload);
  const asking = changed.filter(({ key }) => approved.has(key));
  const id = idOf([
    workload.metadata.uid,
    String(verdict.reload?.ledger.seq ?? 0),
    // A reload that is repeated after a revert has no source that differs.
    ...(changed.length === 0 ? [verdict.fingerprint ?? ''] : []),
    ...(asking.length > 0 ? asking : changed).map(
      ({ key, next }) => `${key}=${next ? formatEntry(next) : ''}`,
    ),
  ]);
  const said = (name: string): string | undefined => workload.annotations[name]?.trim();
  const { approve, now } = FIXED_ANNOTATIONS;
  const used = [now, approve].filter((name) => said(name) === id);
  return {
    id,
    needsApproval: asking.length > 0,
    word: used.includes(now) ? 'now' : used.includes(approve) ? 'approved' : undefined,
    usedWords: Object.fromEntries(used.map((name) => [name, workload.annotations[name] ?? ''])),
    otherApproved: used.length === 0 ? said(now) || said(approve) || undefined : undefined,
  };
}

/** Without letters and digits that look alike; an id never begins with a dash. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const ID_LENGTH = 10;

function idOf(parts: readonly string[]): string {
  const hash = hashed('sha256', JSON.stringify(parts), 'buffer');
  let id = '';
  for (let index = 0; index < ID_LENGTH; index++) id += ALPHABET[(hash[index] ?? 0) % ALPHABET.length];
  return id;
}
