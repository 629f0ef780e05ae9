/**
 * `reloader cleanup`: removes the operator's annotations from workloads and sources, and deletes its notes and its
 * copies of ConfigMaps.
 *
 * Guarantees: only metadata of the objects themselves is changed, never a pod template, so nothing restarts.
 * Annotations of users are kept.
 */
import {
  ApiError,
  type Client,
  ForbiddenError,
  type KubernetesObject,
  listPages,
  NotFoundError,
  type ResourceType,
} from '@reloader/runtime';
import { FIXED_ANNOTATIONS, KEPT_LABEL } from '../../reloader/model/annotations.ts';
import { ConfigMaps, Secrets, WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import { NoteEditor } from '../../reloader/notebook/edit.ts';
import { UsageError } from '../../settings/usage-error.ts';
import { counted } from '../../terminal/style.ts';
import type { CommandIO } from '../command-io.ts';
import { CommandFailure } from '../failure.ts';
import { installedSettings } from '../installed.ts';
import { findOperator } from '../operator-api.ts';
import { withProgress } from '../progress.ts';
import { clusterOf, type SessionOptions, withSession } from '../session.ts';
import { convertLedgers } from './cleanup-ledgers.ts';

export interface CleanupOptions extends SessionOptions {
  readonly allNamespaces?: boolean;
  readonly dryRun?: boolean;
  readonly ledgers?: boolean;
  readonly toLedgers?: boolean;
}

const OURS = [FIXED_ANNOTATIONS.ledger, FIXED_ANNOTATIONS.restarting, FIXED_ANNOTATIONS.lastHash] as const;
const TYPES: readonly ResourceType<KubernetesObject>[] = [
  ...Object.values(WORKLOAD_TYPES),
  Secrets,
  ConfigMaps,
];

interface Found {
  readonly type: ResourceType<KubernetesObject>;
  readonly namespace: string;
  readonly name: string;
  readonly annotations: readonly string[];
  /** A copy of a ConfigMap: the whole object is deleted. */
  readonly isCopy: boolean;
}

export async function cleanupCommand(options: CleanupOptions, io: CommandIO): Promise<void> {
  if (options.ledgers && options.toLedgers) {
    throw new UsageError('Give either --ledgers or --to-ledgers: one undoes the other');
  }
  return withSession(options, io, async (session) => {
    const { client } = clusterOf(session);
    const { print, complain, signal } = io;
    const scope = options.allNamespaces ? {} : { namespace: session.namespace };
    const { settings } = await installedSettings(client, options.operatorNamespace, signal);
    const { operatorNamespace } = settings.reloader;
    if (options.ledgers || options.toLedgers) {
      const direction = options.ledgers ? 'to-notes' : 'to-ledgers';
      await convertLedgers({ client, direction, scope, operatorNamespace, dryRun: options.dryRun }, io);
      return;
    }
    const found = await withProgress('Looking for our annotations', io, () =>
      annotated(client, scope, complain, signal),
    );
    const notes = await notesToRemove(client, operatorNamespace, io);
    const names = notes?.names(scope.namespace) ?? [];
    if (!options.dryRun && found.length + names.length > 0) {
      await warnWhileRunning(io, session.connection);
    }
    for (const each of found) {
      if (!options.dryRun) await (each.isCopy ? remove : takeOff)(client, each, signal);
      const what = each.isCopy ? 'copy' : each.annotations.map((name) => name.split('/')[1]).join(', ');
      const done = `${options.dryRun ? 'would be ' : ''}${each.isCopy ? 'deleted' : 'taken off'}`;
      print(`${each.type.kind} ${each.namespace}/${each.name}: ${what} ${done}\n`);
    }
    const where = options.allNamespaces ? 'the cluster' : `namespace ${session.namespace}`;
    for (const name of names) {
      if (!options.dryRun) await notes?.remove(name, signal);
      print(`ConfigMap ${operatorNamespace}/${name}: notes ${options.dryRun ? 'would be ' : ''}deleted\n`);
    }
    print(
      found.length + names.length === 0
        ? `Nothing of ours is on the objects of ${where}, and nothing is noted about them\n`
        : `${counted(found.length, 'object')} of ${where}; marks on pod templates stay, because taking them away would restart the pods\n`,
    );
  });
}

async function notesToRemove(
  client: Client,
  operatorNamespace: string,
  { complain, signal }: CommandIO,
): Promise<NoteEditor | undefined> {
  try {
    return await NoteEditor.open(client, operatorNamespace, signal);
  } catch (error) {
    if (!(error instanceof ForbiddenError)) throw error;
    complain(
      `Notes are left out: grant list and delete on configmaps in namespace ${operatorNamespace}, or name another with --operator-namespace\n`,
    );
    return undefined;
  }
}

async function annotated(
  client: Client,
  scope: { readonly namespace?: string },
  complain: (text: string) => void,
  signal: AbortSignal,
): Promise<Found[]> {
  const found: Found[] = [];
  let readable = 0;
  for (const type of TYPES) {
    try {
      for await (const { items } of listPages(client, type, { ...scope, metadataOnly: true, signal })) {
        for (const { metadata } of items) {
          const annotations = OURS.filter((name) => metadata.annotations?.[name] !== undefined);
          const { namespace = '', name } = metadata;
          const isCopy = type === ConfigMaps && metadata.labels?.[KEPT_LABEL] !== undefined;
          if (annotations.length > 0 || isCopy) found.push({ type, namespace, name, annotations, isCopy });
        }
      }
      readable += 1;
    } catch (error) {
      // A kind that this cluster does not have.
      if (error instanceof NotFoundError) continue;
      if (!(error instanceof ForbiddenError)) throw error;
      complain(`${type.kind}s are left out: you may not list them\n`);
    }
  }
  if (readable === 0)
    throw new CommandFailure('You may list neither workloads nor sources here: nothing was done');
  return found;
}

async function remove(client: Client, { type, namespace, name }: Found, signal: AbortSignal): Promise<void> {
  try {
    await client.delete(type, { namespace, name }, { signal });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}

async function takeOff(
  client: Client,
  { type, namespace, name, annotations }: Found,
  signal: AbortSignal,
): Promise<void> {
  const nulls = Object.fromEntries(annotations.map((each) => [each, null]));
  const body = { metadata: { annotations: nulls } };
  try {
    await client.patch(type, { namespace, name }, { type: 'merge', body }, { signal });
  } catch (error) {
    // Deleted meanwhile: nothing is left to clean up.
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  }
}

async function warnWhileRunning(
  io: CommandIO,
  connection: Parameters<typeof findOperator>[0],
): Promise<void> {
  const operator = await findOperator(connection, {}, io);
  if ('api' in operator) {
    io.complain(`The operator runs (${operator.api.where}) and notes them again: stop it first\n`);
  }
}
