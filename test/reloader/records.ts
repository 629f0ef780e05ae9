/**
 * The record of a workload: the ledger on the workload and its note in the operator's namespace, merged by the
 * product's own function, because users rely on that merge. Uses stored objects only; the memory of an operator does
 * not count.
 */
import type { Client } from '@reloader/runtime';
import { formatLedger } from '../../packages/operator/src/reloader/ledger/ledger.ts';
import { type ParsedNote, parseNote } from '../../packages/operator/src/reloader/ledger/note.ts';
import { recordOf } from '../../packages/operator/src/reloader/ledger/record.ts';
import type { WorkloadFacts, WorkloadKind } from '../../packages/operator/src/reloader/model/workload.ts';
import { isNewer } from '../../packages/operator/src/reloader/notebook/newer.ts';
import { dataKey } from '../../packages/operator/src/reloader/notebook/pieces.ts';
import { readNotes } from '../../packages/operator/src/reloader/notebook/read.ts';
import type { Chronicle, ChronicleObject, Ref, Version } from './chronicle.ts';
import { typeOf } from './kinds.ts';
import type { LedgerView } from './ledger-view.ts';
import { LEDGER, ROLLED } from './names.ts';
import { templateOf } from './rollouts.ts';

export interface RecordVersion {
  readonly revision: number;
  readonly ledger: LedgerView;
  /** Before it, the stored record was lost: a user deleted the notebook, and the workload had no ledger. */
  readonly afterLoss: boolean;
}

/** The current record. */
export function recordNow(chronicle: Chronicle, ref: Ref): LedgerView | undefined {
  const live = chronicle.now(ref);
  return live && viewOf({ ...live, kind: ref.kind }, noteNow(chronicle, ref));
}

/** The text of the valid note. */
export function noteNow(chronicle: Chronicle, ref: Ref): string | undefined {
  const key = keyOf(ref);
  return newestOf(notesRefs(chronicle, ref.namespace).map((notes) => chronicle.now(notes)?.data?.[key]));
}

/** Every record that was ever stored, with its revision. */
export function recordsOf(chronicle: Chronicle, ref: Ref): RecordVersion[] {
  const key = keyOf(ref);
  const steps = [
    ...chronicle.of(ref).map((version) => ({ version, notes: undefined })),
    ...notesRefs(chronicle, ref.namespace).flatMap((notes) =>
      chronicle.of(notes).map((version) => ({ version, notes: notes.name })),
    ),
  ].sort((one, other) => one.version.revision - other.version.revision);
  const texts = new Map<string, string | undefined>();
  let live: ChronicleObject | undefined;
  let last: string | undefined;
  let lastInput: string | undefined;
  let isLost = false;
  const found: RecordVersion[] = [];
  for (const { version, notes } of steps) {
    const object = contentOf(version);
    if (notes === undefined) live = object && { ...object, kind: ref.kind };
    else texts.set(notes, object?.data?.[key]);
    const note = newestOf([...texts.values()]);
    const input =
      live && JSON.stringify([live.metadata.uid, live.metadata.annotations?.[LEDGER], markOf(live), note]);
    if (input === lastInput) continue;
    lastInput = input;
    const ledger = live && viewOf(live, note);
    const text = JSON.stringify(ledger);
    if (!ledger) isLost = found.length > 0;
    if (!ledger || (text === last && !isLost)) continue;
    last = text;
    found.push({ revision: version.revision, ledger, afterLoss: isLost });
    isLost = false;
  }
  return found;
}

/** For tests that have only a client: reads the workload and the notes. */
export async function readRecord(
  client: Client,
  operatorNamespace: string,
  ref: Ref,
): Promise<LedgerView | undefined> {
  const notes = await readNotes(client, operatorNamespace, new AbortController().signal);
  if (!notes) throw new Error(`The notes in namespace ${operatorNamespace} may not be read`);
  const live = (await client.get(typeOf(ref.kind), ref)) as unknown as ChronicleObject;
  return viewOfParsed({ ...live, kind: ref.kind }, notes({ ...ref, kind: ref.kind as WorkloadKind }));
}

function viewOf(live: ChronicleObject, note: string | undefined): LedgerView | undefined {
  return viewOfParsed(live, parseNote(note));
}

function viewOfParsed(live: ChronicleObject, note: ParsedNote): LedgerView | undefined {
  const record = recordOf({ workload: factsOf(live), note, memory: undefined, keyId: undefined });
  // A record that comes only from a mark, or from another object of the same name, does not count.
  const recorded = record.kind === 'record' ? record.standing : undefined;
  return recorded && (JSON.parse(formatLedger(recorded)) as LedgerView);
}

/** The fields that the merge reads. */
function factsOf(live: ChronicleObject): WorkloadFacts {
  const { uid, annotations = {}, creationTimestamp = '' } = live.metadata;
  const facts: Pick<WorkloadFacts, 'kind' | 'annotations' | 'templateAnnotations' | 'createdAt'> & {
    readonly metadata: { readonly uid: string };
  } = {
    kind: live.kind as WorkloadKind,
    metadata: { uid },
    annotations,
    templateAnnotations: templateOf(live).metadata?.annotations ?? {},
    createdAt: Math.floor(Date.parse(creationTimestamp) / 1000),
  };
  return facts as unknown as WorkloadFacts;
}

function contentOf({ type, object }: Version): ChronicleObject | undefined {
  return type === 'DELETED' ? undefined : object;
}

function markOf(live: ChronicleObject): string | undefined {
  return templateOf(live).metadata?.annotations?.[ROLLED];
}

function notesRefs(chronicle: Chronicle, namespace: string): Ref[] {
  const prefix = `reloader-notes-${namespace}.`;
  return chronicle.refs('ConfigMap').filter(({ name }) => name.startsWith(prefix));
}

function keyOf({ kind, name }: Ref): string {
  return dataKey({ kind: kind as WorkloadKind, name });
}

function newestOf(texts: readonly (string | undefined)[]): string | undefined {
  return texts.reduce(
    (newest, text) => (text !== undefined && (newest === undefined || isNewer(text, newest)) ? text : newest),
    undefined,
  );
}
