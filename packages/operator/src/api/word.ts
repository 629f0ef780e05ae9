/** A person's command for the change that waits: it is bound to that content and that reload, and applies once. */
import { DEAF_TO_NOW } from '../reloader/schedule/schedule.ts';
import type { Explanation, Wait } from './shapes.ts';

/**
 * `approve` gives the required approval, or decides that a doubt is worth a restart; `now` passes every gate that
 * neither a person nor a setting closed.
 */
export type Word = 'approve' | 'now';

/** True if neither command overrides this reason to wait: people set it. */
export function isDeaf(why: Wait['why']): boolean {
  return DEAF_TO_NOW.has(why);
}

/** The change that the command would let through; `held` is the reason that no command overrides. */
export function changeThatWaits(
  word: Word,
  { outlook }: Explanation,
): { readonly change?: string; readonly held?: string } {
  const deaf = outlook.waits.find(({ why }) => isDeaf(why));
  if (word === 'now' && deaf) return { held: deaf.message };
  const wait = outlook.waits.find(({ why }) => word === 'now' || why === 'approval' || why === 'doubt');
  return wait?.change === undefined ? {} : { change: wait.change };
}
