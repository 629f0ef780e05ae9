/** `reloader freeze` and `reloader unfreeze`: the annotation that holds reloads back. */
import { type KubernetesObject, NotFoundError, type ObjectKey, type ResourceType } from '@reloader/runtime';
import { parseGoBool } from '../../go/bool.ts';
import { FIXED_ANNOTATIONS } from '../../reloader/model/annotations.ts';
import { Namespaces, WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import { UsageError } from '../../settings/usage-error.ts';
import { CommandFailure } from '../failure.ts';
import { installedSettings } from '../installed.ts';
import { parseWorkloads } from '../objects.ts';
import { clusterOf, type Session, type SessionOptions, withSession } from '../session.ts';
import type { Surroundings } from '../surroundings.ts';
import { assertExists } from './explain.ts';

export interface FreezeOptions extends SessionOptions {
  readonly cluster?: boolean;
  /** The same. */
  readonly allNamespaces?: boolean;
}

interface Subject {
  readonly type: ResourceType<KubernetesObject>;
  readonly key: ObjectKey;
  /** What is frozen by it. */
  readonly name: string;
}

export function freezeCommand(
  freeze: boolean,
  words: readonly string[],
  options: FreezeOptions,
  surroundings: Surroundings,
): Promise<void> {
  const everything = options.cluster === true || options.allNamespaces === true;
  if (words.length > 0 && everything) throw new UsageError('Give an object or --cluster, not both');
  const named = words.length > 0 ? parseWorkloads(words) : undefined;
  return withSession(options, surroundings, async (session) => {
    const subjects = named
      ? await workloadsOf(named, session)
      : [everything ? await wholeCluster(session) : namespaceOf(session)];
    for (const subject of subjects) await write(freeze, subject, session);
  });
}

async function write(freeze: boolean, { type, key, name }: Subject, session: Session): Promise<void> {
  const { signal, print } = session.surroundings;
  const before = await read(session, type, key);
  const text = before.metadata.annotations?.[FIXED_ANNOTATIONS.freeze];
  if ((parseGoBool(text ?? '') ?? false) === freeze) {
    print(`${name} ${freeze ? 'is frozen already' : 'is not frozen'}\n`);
    return;
  }
  const annotations = { [FIXED_ANNOTATIONS.freeze]: freeze ? 'true' : null };
  const { client } = clusterOf(session);
  await client.patch(type, key, { type: 'merge', body: { metadata: { annotations } } }, { signal });
  print(
    freeze
      ? `${name} is frozen: changes wait, and are rolled out after "unfreeze"\n`
      : `${name} is no longer frozen: what waited is rolled out now\n`,
  );
}

/** All of them exist, or nothing is done. */
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
  const { settings } = await installedSettings(client, operatorNamespace, session.surroundings.signal);
  const name = operatorNamespace ?? settings.reloader.operatorNamespace;
  return { type: Namespaces, key: { name }, name: `The whole cluster (by Namespace ${name})` };
}

async function read(session: Session, type: Subject['type'], key: ObjectKey) {
  try {
    return await clusterOf(session).client.get(type, key, { signal: session.surroundings.signal });
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    throw new CommandFailure(`${type.kind} ${key.name} does not exist: see "kubectl get ${type.plural}"`);
  }
}
