/**
 * `reloader cleanup --ledgers` and `--to-ledgers`: move records between workloads and the notebook, for an upgrade or a
 * downgrade.
 *
 * Guarantees: the record is the same before and after, so nothing restarts and nothing is lost; it is written to its
 * new place before it is removed from the old one; workloads are written at most ten times a second, and their number
 * is printed first.
 */
import {
  ApiError,
  type Client,
  ForbiddenError,
  type KubernetesObject,
  listPages,
  NotFoundError,
  type ResourceType,
  type Stored,
  sleep,
} from '@reloader/runtime';
import { formatLedger, parseLedger } from '../../reloader/ledger/ledger.ts';
import { baseOf, NO_BASE } from '../../reloader/ledger/note.ts';
import { FIXED_ANNOTATIONS } from '../../reloader/model/annotations.ts';
import { WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import type { Ledger } from '../../reloader/model/ledger.ts';
import type { WorkloadKind, WorkloadRef } from '../../reloader/model/workload.ts';
import { NoteEditor } from '../../reloader/notebook/edit.ts';
import { annotationOperations } from '../../reloader/patch/ledger-operations.ts';
import type { CommandIO } from '../command-io.ts';
import { CommandFailure } from '../failure.ts';

export interface Conversion {
  readonly client: Client;
  readonly direction: 'to-notes' | 'to-ledgers';
  readonly scope: { readonly namespace?: string };
  readonly operatorNamespace: string;
  readonly dryRun: boolean | undefined;
}

const BETWEEN_WRITES_MS = 100;

interface Change {
  readonly ref: WorkloadRef;
  readonly type: ResourceType<KubernetesObject>;
  readonly live: Stored<KubernetesObject>;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export async function convertLedgers(conversion: Conversion, io: CommandIO): Promise<void> {
  const { client, direction, scope, operatorNamespace, dryRun } = conversion;
  const { print, complain, clock, signal } = io;
  const notes = await openNotes(client, operatorNamespace, signal);
  const elsewhere = notesElsewhere(conversion, notes);
  const changes: Change[] = [];
  for await (const found of workloads(conversion, io)) {
    const change = direction === 'to-notes' ? intoNote(found, notes) : intoLedger(found, notes);
    if (change) changes.push(change);
  }
  const what = direction === 'to-notes' ? 'taken off' : 'written';
  const where = scope.namespace === undefined ? 'all namespaces' : `namespace ${scope.namespace}`;
  const seconds = Math.ceil((changes.length * BETWEEN_WRITES_MS) / 1000);
  print(
    `${changes.length} ledgers ${dryRun ? 'would be' : 'are'} ${what} in ${where}, one write each, in about ${seconds} s; nothing restarts\n`,
  );
  // The new place first: a crash in between leaves the record in both places, which is harmless.
  if (!dryRun && direction === 'to-notes') await notes.save(signal);
  for (const [index, change] of changes.entries()) {
    const { kind, namespace, name } = change.ref;
    if (!dryRun) {
      if (index > 0) await sleep(clock, BETWEEN_WRITES_MS, signal);
      if (!(await write(client, change, signal))) {
        complain(`${kind} ${namespace}/${name} has changed meanwhile and is left as it is: run this again\n`);
        continue;
      }
    }
    print(`${kind} ${namespace}/${name}: ledger ${dryRun ? 'would be ' : ''}${what}\n`);
  }
  if (elsewhere) complain(elsewhere);
}

/** A downgrade needs all notes: warns of those in namespaces that the command was not asked to convert. */
function notesElsewhere({ direction, scope }: Conversion, notes: NoteEditor): string | undefined {
  const { namespace } = scope;
  if (namespace === undefined || direction === 'to-notes') return undefined;
  const others = [...notes.workloads()].filter((ref) => ref.namespace !== namespace);
  if (others.length === 0) return undefined;
  const namespaces = [...new Set(others.map((ref) => ref.namespace))].sort();
  const named = namespaces.slice(0, MOST_NAMED).join(', ');
  const more = namespaces.length > MOST_NAMED ? ` and ${namespaces.length - MOST_NAMED} more` : '';
  return `Only namespace ${namespace} was looked at. ${others.length} notes about workloads of ${named}${more} are left as they are: give -A for all namespaces\n`;
}

const MOST_NAMED = 5;

async function openNotes(client: Client, namespace: string, signal: AbortSignal): Promise<NoteEditor> {
  try {
    return await NoteEditor.open(client, namespace, signal);
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    throw new CommandFailure(
      `The notes may not be read, so nothing was done: grant list, create and update on configmaps in namespace ${namespace}, or name another with --operator-namespace`,
    );
  }
}

interface Found {
  readonly ref: WorkloadRef;
  readonly type: ResourceType<KubernetesObject>;
  readonly live: Stored<KubernetesObject>;
}

async function* workloads(
  { client, scope }: Conversion,
  { complain, signal }: CommandIO,
): AsyncGenerator<Found> {
  for (const [kind, type] of Object.entries(WORKLOAD_TYPES)) {
    try {
      for await (const { items } of listPages<KubernetesObject>(client, type, {
        ...scope,
        metadataOnly: true,
        signal,
      })) {
        for (const live of items) {
          const { namespace = '', name } = live.metadata;
          yield { type, live, ref: { kind: kind as WorkloadKind, namespace, name } };
        }
      }
    } catch (error) {
      // A kind that this cluster does not have.
      if (error instanceof NotFoundError) continue;
      if (!(error instanceof ForbiddenError)) throw error;
      complain(`${kind}s are left out: you may not list them\n`);
    }
  }
}

/** Only ledgers that an adoption wrote: the ledger of a rollout stays, as it does in this version. */
function intoNote({ ref, type, live }: Found, notes: NoteEditor): Change | undefined {
  const before = live.metadata.annotations?.[FIXED_ANNOTATIONS.ledger];
  const parsed = parseLedger(before);
  const isAdoption =
    parsed.kind === 'ledger' && parsed.ledger.seq === 0 && parsed.ledger.uid === live.metadata.uid;
  if (!isAdoption) return undefined;
  // A note that was made from this ledger is as new or newer.
  const note = notes.note(ref);
  const isNoted =
    note.kind === 'newer' ||
    (note.kind === 'note' && note.note.record.uid === live.metadata.uid && note.note.base === baseOf(before));
  if (!isNoted) notes.put(ref, { record: parsed.ledger, base: NO_BASE });
  return { ref, type, live, before, after: undefined };
}

function intoLedger({ ref, type, live }: Found, notes: NoteEditor): Change | undefined {
  const note = notes.note(ref);
  if (note.kind !== 'note' || note.note.record.uid !== live.metadata.uid) return undefined;
  const before = live.metadata.annotations?.[FIXED_ANNOTATIONS.ledger];
  const standing = parseLedger(before);
  const { record, base } = note.note;
  if (standing.kind === 'newer') return undefined;
  if (base !== baseOf(before) && standing.kind === 'ledger' && isAsNew(standing.ledger, record))
    return undefined;
  const after = formatLedger(record);
  return after === before ? undefined : { ref, type, live, before, after };
}

function isAsNew(ledger: Ledger, record: Ledger): boolean {
  return ledger.uid === record.uid && ledger.seq >= record.seq;
}

/** False if the object has changed since it was read. */
async function write(
  client: Client,
  { ref, type, live, before, after }: Change,
  signal: AbortSignal,
): Promise<boolean> {
  const annotated = { metadata: live.metadata, hasAnnotations: live.metadata.annotations !== undefined };
  const operations = annotationOperations(annotated, { [FIXED_ANNOTATIONS.ledger]: { before, after } });
  try {
    await client.patch(type, ref, { type: 'json', operations }, { signal });
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 404 || error.code === 409 || error.code === 422))
      return false;
    throw error;
  }
}
