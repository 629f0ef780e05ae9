/** A person's word about the change that waits: bound to that content and that reload, and used up by it. */
import type { Explanation, Wait } from './shapes.ts';

/** `approve` gives the approval that is required, or says that a doubt is worth a restart; `now` passes every gate that no person closed. */
export type Word = 'approve' | 'now';

/** Reasons to wait that no word ends: people closed these. */
export const DEAF: readonly Wait['why'][] = ['frozen', 'observing', 'invalid'];

/** The change that the word would let through; `held` says what holds it whatever anybody says. */
export function changeThatWaits(
  word: Word,
  { outlook }: Explanation,
): { readonly change?: string; readonly held?: string } {
  const deaf = outlook.waits.find(({ why }) => DEAF.includes(why));
  if (word === 'now' && deaf) return { held: deaf.message };
  const wait = outlook.waits.find(({ why }) => word === 'now' || why === 'approval' || why === 'doubt');
  return wait?.change === undefined ? {} : { change: wait.change };
}
