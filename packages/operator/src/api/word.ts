/** A person's command for the change that waits: it is bound to that content and that reload, and applies once. */
import type { Explanation, Wait } from './shapes.ts';

/**
 * `approve` gives the required approval, or decides that a doubt is worth a restart; `now` passes every gate that no
 * person closed.
 */
export type Word = 'approve' | 'now';

/** Reasons to wait that neither command overrides: people set these. */
export const DEAF: readonly Wait['why'][] = ['frozen', 'observing', 'invalid'];

/** The change that the command would let through; `held` is the reason that no command overrides. */
export function changeThatWaits(
  word: Word,
  { outlook }: Explanation,
): { readonly change?: string; readonly held?: string } {
  const deaf = outlook.waits.find(({ why }) => DEAF.includes(why));
  if (word === 'now' && deaf) return { held: deaf.message };
  const wait = outlook.waits.find(({ why }) => word === 'now' || why === 'approval' || why === 'doubt');
  return wait?.change === undefined ? {} : { change: wait.change };
}
