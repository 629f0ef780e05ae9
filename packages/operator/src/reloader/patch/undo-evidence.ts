/** Whether a pod may run with content that was there for a while and is gone again. Pure. */
import type { OwnedPod } from '../evidence/owned-pods.ts';

/** By how much the clock of a node may be behind the server's. */
const SKEW_S = 5;

/** `from`, `until`: seconds since the epoch, the write that brought the content and the one that took it away. */
export function mayHaveRead(
  { createdAt, lastStartAt }: Pick<OwnedPod, 'createdAt' | 'lastStartAt'>,
  { from, until }: { readonly from: number; readonly until: number },
): boolean {
  if (createdAt > until) return false;
  return createdAt >= from || lastStartAt === undefined || lastStartAt >= from - SKEW_S;
}
