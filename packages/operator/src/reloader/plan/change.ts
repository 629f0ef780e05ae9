/**
 * The change that waits, by a name that people can type and that stands for this content of this reload only.
 *
 * It is made of the workload, the number of the reload and the digests of those sources whose changes have to be
 * approved, or of all that changed where none has. So an approval is good for one reload of what was approved: other
 * content has another name, and so has the same content the next time, whatever brings the annotation back.
 */
import { createHash } from 'node:crypto';
import { formatEntry } from '../ledger/ledger.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Verdict } from '../model/decision.ts';
import type { Want } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';

export interface Change {
  readonly id: string;
  readonly needsApproval: boolean;
  /** What somebody said about this very change. */
  readonly word: 'now' | 'approved' | undefined;
  /** The annotations that said it. */
  readonly usedWords: Readonly<Record<string, string>>;
  /** Somebody approved, but something else. */
  readonly otherApproved: string | undefined;
}

export function changeOf(verdict: Verdict, want: Want, workload: WorkloadFacts): Change {
  const approved = new Set(want.sources.flatMap(({ key, approval }) => (approval ? [key] : [])));
  const changed = verdict.differences.filter(({ reload }) => reload);
  const asking = changed.filter(({ key }) => approved.has(key));
  const id = idOf([
    workload.metadata.uid,
    String(verdict.reload?.ledger.seq ?? 0),
    // A reload that is repeated because somebody reverted it has no source that differs.
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

/** Without letters and digits that look alike, and never beginning with a dash. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';
const ID_LENGTH = 10;

function idOf(parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  return [...hash.subarray(0, ID_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
}
