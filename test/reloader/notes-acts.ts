/** Damage to the notebook by users and accidents: it is deleted, or an older state is restored. */
import { type Client, kinds, NotFoundError } from '@reloader/runtime';
import type { Chronicle, ChronicleObject, Ref } from './chronicle.ts';

/** All ConfigMaps of the notebook that ever existed. */
export function notesOf(chronicle: Chronicle): Ref[] {
  return chronicle.refs('ConfigMap').filter(({ name }) => name.startsWith('reloader-notes-'));
}

export async function deleteNotes(client: Client, chronicle: Chronicle): Promise<void> {
  for (const ref of notesOf(chronicle)) await ignoringAbsence(client.delete(kinds.ConfigMap, ref));
}

/** As from a backup: restores every ConfigMap as it was at that revision, and deletes those that did not exist then. */
export async function restoreNotes(client: Client, chronicle: Chronicle, revision: number): Promise<void> {
  for (const ref of notesOf(chronicle)) {
    const then = chronicle.of(ref).findLast((version) => version.revision <= revision);
    const object = then && then.type !== 'DELETED' ? then.object : undefined;
    await ignoringAbsence(client.delete(kinds.ConfigMap, ref));
    if (object) await client.create(kinds.ConfigMap, copyOf(ref, object), { fieldManager: 'backup' });
  }
}

function copyOf({ namespace, name }: Ref, { metadata: { labels }, data }: ChronicleObject) {
  return { metadata: { namespace, name, labels: { ...labels } }, data: { ...data } };
}

async function ignoringAbsence(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
}
