/** `reloader freeze` and `reloader unfreeze`: the annotation that holds reloads back. */
import { type KubernetesObject, NotFoundError, type ObjectKey, type ResourceType } from '@reloader/runtime';
import { parseGoBool } from '../../go/bool.ts';
import { FIXED_ANNOTATIONS } from '../../reloader/model/annotations.ts';
import { Namespaces, WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import { UsageError } from '../../settings/usage-error.ts';
import { CommandFailure } from '../failure.ts';
import { installedSettings } from '../installed.ts';
import { parseWorkload } from '../objects.ts';
import { clusterOf, type Session, type SessionOptions, withSession } from '../session.ts';
import type { Surroundings } from '../surroundings.ts';
import { assertExists } from './explain.ts';

export interface FreezeOptions extends SessionOptions {
  readonly cluster?: boolean;
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
  if (words.length > 0 && options.cluster) throw new UsageError('Give an object or --cluster, not both');
  return withSession(options, surroundings, async (session) => {
    const { client } = clusterOf(session);
    const { signal, print } = surroundings;
    const { type, key, name } = await subjectOf(words, options, session);
    const before = await read(session, type, key);
    const text = before.metadata.annotations?.[FIXED_ANNOTATIONS.freeze];
    if ((parseGoBool(text ?? '') ?? false) === freeze) {
      print(`${name} ${freeze ? 'is frozen already' : 'is not frozen'}\n`);
      return;
    }
    const annotations = { [FIXED_ANNOTATIONS.freeze]: freeze ? 'true' : null };
    await client.patch(type, key, { type: 'merge', body: { metadata: { annotations } } }, { signal });
    print(
      freeze
        ? `${name} is frozen: changes wait, and are rolled out after "unfreeze"\n`
        : `${name} is no longer frozen: what waited is rolled out now\n`,
    );
  });
}

async function subjectOf(
  words: readonly string[],
  { cluster, operatorNamespace }: FreezeOptions,
  session: Session,
): Promise<Subject> {
  if (words.length > 0) {
    const ref = { ...parseWorkload(words), namespace: session.namespace };
    await assertExists(ref, session);
    const key = { namespace: ref.namespace, name: ref.name };
    return { type: WORKLOAD_TYPES[ref.kind], key, name: `${ref.kind} ${ref.namespace}/${ref.name}` };
  }
  if (!cluster) {
    return { type: Namespaces, key: { name: session.namespace }, name: `Namespace ${session.namespace}` };
  }
  const { client } = clusterOf(session);
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
