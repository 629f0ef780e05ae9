/** `reloader freeze` and `reloader unfreeze`: the annotation that holds reloads back. */
import {
  ApiError,
  type KubernetesObject,
  NotFoundError,
  type ObjectKey,
  type ResourceType,
  timestamp,
} from '@reloader/runtime';
import { parseGoBool } from '../../go/bool.ts';
import { DurationError, parseGoDuration } from '../../go/duration.ts';
import { FIXED_ANNOTATIONS } from '../../reloader/model/annotations.ts';
import { Namespaces, WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import { UsageError } from '../../settings/usage-error.ts';
import type { CommandIO } from '../command-io.ts';
import { CommandFailure } from '../failure.ts';
import { installedSettings } from '../installed.ts';
import { parseWorkloads } from '../objects.ts';
import { findOperatorNamespace } from '../operator-namespace.ts';
import { clusterOf, type Session, type SessionOptions, withSession } from '../session.ts';
import { assertExists } from './explain.ts';

export interface FreezeOptions extends SessionOptions {
  readonly cluster?: boolean;
  /** The same as `cluster`. */
  readonly allNamespaces?: boolean;
  /** The duration after which it ends. */
  readonly for?: string;
  readonly reason?: string;
}

interface Subject {
  readonly type: ResourceType<KubernetesObject>;
  readonly key: ObjectKey;
  /** The name of what it freezes. */
  readonly name: string;
}

export function freezeCommand(
  freeze: boolean,
  words: readonly string[],
  options: FreezeOptions,
  io: CommandIO,
): Promise<void> {
  const everything = options.cluster === true || options.allNamespaces === true;
  if (words.length > 0 && everything) throw new UsageError('Give an object or --cluster, not both');
  const durationMs = durationOf(options.for);
  const named = words.length > 0 ? parseWorkloads(words) : undefined;
  return withSession(options, io, async (session) => {
    const subjects = named
      ? await workloadsOf(named, session)
      : [everything ? await wholeCluster(session) : namespaceOf(session)];
    const until = durationMs === undefined ? undefined : io.clock.now() + durationMs;
    const said = freeze ? await valuesOf(until, options.reason, session) : {};
    for (const subject of subjects) await write(freeze, said, subject, session);
  });
}

function durationOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const ms = parseGoDuration(text);
    if (ms > 0) return ms;
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
  }
  throw new UsageError(`--for ${text} is no duration: write one such as 30m or 2h`);
}

interface Said {
  readonly value?: string;
  readonly reason?: string | null;
}

/** Adds the user to the reason: the usual mistake is a freeze that nobody remembers. */
async function valuesOf(
  until: number | undefined,
  reason: string | undefined,
  session: Session,
): Promise<Said> {
  const value = until === undefined ? 'true' : timestamp(until);
  const user = reason === undefined && until === undefined ? undefined : await userName(session);
  const parts = [reason, user === undefined ? undefined : `by ${user}`].filter((part) => part !== undefined);
  return { value, reason: parts.length > 0 ? parts.join(', ') : null };
}

const SelfSubjectReviews: ResourceType<KubernetesObject & { status?: { userInfo?: { username?: string } } }> =
  {
    group: 'authentication.k8s.io',
    version: 'v1',
    kind: 'SelfSubjectReview',
    plural: 'selfsubjectreviews',
    namespaced: false,
  };

/** As the API server knows the user; undefined if it does not tell. */
async function userName(session: Session): Promise<string | undefined> {
  try {
    const { signal } = session.io;
    const review = await clusterOf(session).client.create(SelfSubjectReviews, { metadata: {} }, { signal });
    return review.status?.userInfo?.username || undefined;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function write(
  freeze: boolean,
  said: Said,
  { type, key, name }: Subject,
  session: Session,
): Promise<void> {
  const { signal, print } = session.io;
  const before = await read(session, type, key);
  const text = before.metadata.annotations?.[FIXED_ANNOTATIONS.freeze];
  const isFrozen = parseGoBool(text ?? 'false') ?? true;
  if (isFrozen === freeze && (!freeze || (said.value === text && said.reason === null))) {
    print(`${name} ${freeze ? 'is frozen already' : 'is not frozen'}\n`);
    return;
  }
  const annotations = {
    [FIXED_ANNOTATIONS.freeze]: freeze ? (said.value ?? 'true') : null,
    [FIXED_ANNOTATIONS.freezeReason]: freeze ? (said.reason ?? null) : null,
  };
  const { client } = clusterOf(session);
  await client.patch(type, key, { type: 'merge', body: { metadata: { annotations } } }, { signal });
  print(
    freeze
      ? `${name} is frozen${said.value === 'true' ? '' : ` until ${said.value}`}: changes wait, and are rolled out after ${said.value === 'true' ? '"unfreeze"' : 'that'}\n`
      : `${name} is no longer frozen: what waited is rolled out now\n`,
  );
}

/** Either all of them exist, or nothing is done. */
async function workloadsOf(
  named: ReturnType<typeof parseWorkloads>,
  session: Session,
): Promise<readonly Subject[]> {
  const subjects: Subject[] = [];
  for (const { kind, name } of named) {
    const { namespace } = session;
    await assertExists({ kind, namespace, name }, session);
    subjects.push({
      type: WORKLOAD_TYPES[kind],
      key: { namespace, name },
      name: `${kind} ${namespace}/${name}`,
    });
  }
  return subjects;
}

function namespaceOf({ namespace }: Session): Subject {
  return { type: Namespaces, key: { name: namespace }, name: `Namespace ${namespace}` };
}

async function wholeCluster(session: Session): Promise<Subject> {
  const { client } = clusterOf(session);
  const { operatorNamespace } = session.options;
  const { signal } = session.io;
  const found = await findOperatorNamespace(client, operatorNamespace, signal);
  const { settings } = await installedSettings(client, found, signal);
  const name = operatorNamespace ?? settings.reloader.operatorNamespace;
  return { type: Namespaces, key: { name }, name: `The whole cluster (by Namespace ${name})` };
}

async function read(session: Session, type: Subject['type'], key: ObjectKey) {
  try {
    return await clusterOf(session).client.get(type, key, { signal: session.io.signal });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    throw new CommandFailure(`${type.kind} ${key.name} does not exist: see "kubectl get ${type.plural}"`);
  }
}
