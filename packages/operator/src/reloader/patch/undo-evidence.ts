/** Whether a pod may have read a content that existed only for a certain time. Pure. */
import type { OwnedPod } from '../evidence/owned-pods.ts';

/** By how much the clock of a node may be behind the API server's. */
const SKEW_S = 5;

/** `from`, `until`: the times of the writes that set and replaced the content, in seconds since the epoch. */
export function mayHaveRead(
  { createdAt, lastStartAt }: Pick<OwnedPod, 'createdAt' | 'lastStartAt'>,
  { from, until }: { readonly from: number; readonly until: number },
): boolean {
  if (createdAt > until) return false;
  return createdAt >= from || lastStartAt === undefined || lastStartAt >= from - SKEW_S;
}
