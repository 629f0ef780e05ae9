/** Contents that failed and that we replaced once: neither rolled out nor replaced again. Pure. */
import { formatEntry, MOST_REFUSED, sourceOfLedgerKey } from '../ledger/ledger.ts';
import { withinHead } from '../ledger/next.ts';
import { outcomesOf, type ParsedNote, restoringIn } from '../ledger/note.ts';
import type { Verdict } from '../model/decision.ts';
import type { Ledger, RefusedContent } from '../model/ledger.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { RefusedChange } from '../schedule/types.ts';

/** The next reload writes to the workload's ledger which contents are refused from then on. */
export function withRefused(
  verdict: Verdict,
  { metadata: { uid } }: WorkloadFacts,
  note: ParsedNote,
): Verdict {
  const { reload, recorded } = verdict;
  if (!reload || !recorded) return verdict;
  const taken = restoringIn(note, uid, recorded.seq)?.sources ?? [];
  const { refused: known = [], ...plain } = reload.ledger;
  if (taken.length === 0 && known.length === 0) return verdict;
  const worked = outcomesOf(note, uid).filter(({ result }) => result === 'ok');
  const all = new Map<string, RefusedContent>();
  for (const { key, content } of [...known, ...taken]) {
    // A user rolled it out all the same, and it works.
    if (worked.some(({ sources }) => sources[key] === content)) continue;
    all.set(`${key} ${content}`, { key, content });
  }
  const refused = [...all.values()].slice(-MOST_REFUSED);
  const ledger = withinHead({ ...plain, ...(refused.length > 0 && { refused }) });
  return { ...verdict, reload: { ...reload, ledger } };
}

export function isRefused({ refused = [] }: Pick<Ledger, 'refused'>, key: string, content: string): boolean {
  return refused.some((each) => each.key === key && each.content === content);
}

/**
 * The pending changes that bring back a failed content. A workload whose policy no longer asks for restore is not held.
 */
export function refusedChanges(
  { metadata: { namespace } }: WorkloadFacts,
  { differences, recorded, reload }: Verdict,
): readonly RefusedChange[] {
  if (!recorded?.refused || !reload?.policy.verify || reload.policy.onFailure !== 'restore') return [];
  return differences.flatMap(({ key, next, reload: isChange }) => {
    const source = sourceOfLedgerKey(key, namespace);
    return isChange && next && source && isRefused(recorded, key, formatEntry(next)) ? [{ source }] : [];
  });
}
