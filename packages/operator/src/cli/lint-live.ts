/**
 * Runs `lint` on a workload as it is in the cluster: unknown annotations, names of missing objects.
 *
 * In: a workload, and the problems that its explanation has already. Out: further problems. It reads the workload and
 * the names of Secrets and ConfigMaps in its namespace with the caller's rights; nothing is concluded from objects that
 * cannot be read.
 */
import {
  ApiError,
  type Client,
  type KubernetesObject,
  listPages,
  type ResourceType,
} from '@reloader/runtime';
import type { Explanation } from '../api/shapes.ts';
import { lint } from '../lint/lint.ts';
import { ConfigMaps, Secrets, WORKLOAD_TYPES } from '../reloader/model/kinds.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { Session } from './session.ts';

type Problem = Explanation['problems'][number];

export async function lintProblems(
  ref: WorkloadRef,
  { problems, workload }: Explanation,
  session: Session,
): Promise<readonly Problem[]> {
  const { connection, io } = session;
  if (!connection) return [];
  const { client } = connection;
  const { signal } = io;
  const type = WORKLOAD_TYPES[ref.kind];
  try {
    const object = await client.get(type, ref, { signal });
    const items = [identified(type, object), ...(await namesOf(client, ref.namespace, signal))];
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const about = `${workload.kind} ${workload.namespace}/${workload.name}`;
    const known = new Set(problems.map(({ field }) => field));
    return (
      lint([{ file: 'cluster', text }])
        .findings.filter(({ object: subject, field }) => subject === about && !known.has(field))
        // A mistake in a manifest, but expected in the cluster.
        .filter(({ rule }) => rule !== 'written-by-operator')
        .map(({ field, rule, message }) => ({
          field,
          reason: rule,
          message: message
            .replace(' in these files', ` in namespace ${ref.namespace}`)
            .replace('of these files', 'there'),
        }))
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [];
  }
}

/** Only metadata: the content is not needed. */
async function namesOf(client: Client, namespace: string, signal: AbortSignal): Promise<object[]> {
  const found: object[] = [];
  for (const type of [Secrets, ConfigMaps] as readonly ResourceType<KubernetesObject>[]) {
    try {
      for await (const { items } of listPages(client, type, { namespace, metadataOnly: true, signal }))
        found.push(...items.map(({ metadata }) => identified(type, { metadata })));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return found;
}

function identified({ group, version, kind }: ResourceType, object: object): object {
  return { ...object, apiVersion: group === '' ? version : `${group}/${version}`, kind };
}
