/** Checks the cluster itself: that it answers, its version, and the caller's rights there. */
import { type Client, kinds, silentLogger } from '@reloader/runtime';
import { ConfigMaps, ReloaderConfigs, Secrets, WORKLOAD_TYPES } from '../../reloader/model/kinds.ts';
import { type Question, reviewAccess } from '../../reloader/watch/access.ts';
import type { Connection } from '../command-io.ts';
import { type CheckFinding, ok, warning } from './finding.ts';

const OLDEST_MINOR = 25;

export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

export async function serverVersion(client: Client, signal: AbortSignal): Promise<ServerVersion> {
  const { body } = await client.raw({ method: 'GET', path: '/version', headers: {}, signal });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as ServerVersion;
}

export async function checkCluster(
  { client, source }: Connection,
  signal: AbortSignal,
): Promise<CheckFinding> {
  const { gitVersion, minor } = await serverVersion(client, signal);
  const found = `Kubernetes ${gitVersion}, found by ${source}`;
  return Number.parseInt(minor, 10) < OLDEST_MINOR
    ? warning('cluster', found, `1.${OLDEST_MINOR} is the oldest version that is tested: upgrade the cluster`)
    : ok('cluster', found);
}

/** The rights for `explain` and `what-if` if the operator cannot be reached. */
const TO_ASK: readonly Question[] = [WORKLOAD_TYPES.Deployment, ConfigMaps, Secrets, ReloaderConfigs].map(
  (type) => ({ verb: 'list', type }),
);

/** The rights to install everything. */
const TO_INSTALL: readonly Question[] = [
  kinds.CustomResourceDefinition,
  kinds.ClusterRole,
  kinds.ClusterRoleBinding,
  kinds.Deployment,
].map((type) => ({ verb: 'create', type }));

export async function checkRights(
  { client, namespace }: Connection,
  isBefore: boolean,
  signal: AbortSignal,
): Promise<CheckFinding> {
  const { denied } = await reviewAccess({
    client,
    namespaces: [isBefore ? 'reloader' : namespace],
    questions: isBefore ? TO_INSTALL : TO_ASK,
    logger: silentLogger,
    signal,
  });
  const purpose = isBefore ? 'to install it' : `to explain without the operator, in namespace ${namespace}`;
  if (denied.length === 0) return ok('your rights', `enough ${purpose}`);
  const fix = isBefore
    ? 'ask an administrator to install it, or install it for some namespaces (reloader.watchGlobally=false)'
    : 'explain and what-if ask the operator, which needs none of these';
  return warning('your rights', `you may not ${denied.join(', ')}, which it takes ${purpose}`, fix);
}
