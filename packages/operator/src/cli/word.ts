/** A person's word about the change that waits: bound to that content and that reload, and used up by it. */
import type { Client } from '@reloader/runtime';
import type { Explanation, Wait } from '../api/shapes.ts';
import { FIXED_ANNOTATIONS } from '../reloader/model/annotations.ts';
import { WORKLOAD_TYPES } from '../reloader/model/kinds.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';

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

/** Whoever may patch the workload may give it. */
export async function giveWord(
  word: Word,
  { kind, namespace, name }: WorkloadRef,
  change: string,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<void> {
  const body = { metadata: { annotations: { [FIXED_ANNOTATIONS[word]]: change } } };
  await client.patch(WORKLOAD_TYPES[kind], { namespace, name }, { type: 'merge', body }, { signal });
}
