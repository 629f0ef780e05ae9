/** I6 and promise 4: every write that the operators requested is one that they may make. */
import { DIGEST_KEY } from '../names.ts';
import type { Allowance } from '../scene.ts';
import type { Operator, SentRequest } from '../stage.ts';

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const WORKLOADS = new Set([
  'deployments',
  'statefulsets',
  'daemonsets',
  'cronjobs',
  'jobs',
  'rollouts',
  'deploymentconfigs',
]);

export function requestsAreModest(
  requests: readonly SentRequest[],
  operators: readonly Operator[],
  allow: Allowance,
): string[] {
  const homes = new Set(operators.map(({ namespace }) => namespace));
  return requests
    .filter(({ verb, code }) => WRITES.has(verb) && code !== 403)
    .filter((request) => !isAllowed(request, homes.has(request.namespace), allow))
    .map(({ verb, resource, subresource, namespace, name, body }) => {
      const what = `${verb} ${resource}${subresource && `/${subresource}`} ${namespace}/${name}`;
      return `I6: an operator sent ${what} ${JSON.stringify(body)?.slice(0, 300)}`;
    });
}

function isAllowed(request: SentRequest, atHome: boolean, { sourceWrites, restores }: Allowance): boolean {
  const { verb, resource, subresource, name } = request;
  if (resource === 'selfsubjectaccessreviews' || resource === 'selfsubjectrulesreviews')
    return verb === 'create';
  if (resource === 'events') return verb === 'create' || verb === 'patch';
  if (resource === 'leases') return atHome;
  if (resource === 'reloaderconfigs')
    return subresource === 'status' && (verb === 'patch' || verb === 'update');
  if (resource === 'pods') return subresource === 'eviction' && verb === 'create';
  if (resource === 'secrets' || resource === 'configmaps') {
    if (sourceWrites && verb === 'patch') return true;
    const isCopy = /\.reloader-[0-9a-f]{8}$/.test(name || nameIn(request) || '');
    if (restores && resource === 'configmaps' && (verb === 'patch' || isCopy)) return true;
    if (!atHome) return false;
    // While a Job is re-created, its manifest is kept in a Secret, because it may contain secret values.
    return (
      resource === 'configmaps' ||
      (name || nameIn(request) || '').startsWith('reloader-job-') ||
      (verb === 'create' && (name === DIGEST_KEY || nameIn(request) === DIGEST_KEY))
    );
  }
  if (resource === 'jobs' && (verb === 'create' || verb === 'delete')) return true;
  return (
    WORKLOADS.has(resource) &&
    verb === 'patch' &&
    subresource === '' &&
    removesOnlyOurs(request.body) &&
    isRollout(request.body)
  );
}

function nameIn({ body }: SentRequest): string | undefined {
  return (body as { metadata?: { name?: string } } | undefined)?.metadata?.name;
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/**
 * Promise 2: a workload is written only for a rollout or for the end of a pause; everything else goes to the notebook.
 */
function isRollout(body: unknown): boolean {
  return (body as Operation[]).some(({ op, path }) => op !== 'test' && path.startsWith('/spec/'));
}

/** Fields that a patch adds show in managedFields; removals show only here. */
function removesOnlyOurs(body: unknown): boolean {
  if (!Array.isArray(body)) return false;
  const operations = body as Operation[];
  const tested = new Map(
    operations.filter(({ op }) => op === 'test').map(({ path, value }) => [path, value]),
  );
  if (!tested.has('/metadata/uid')) return false;
  return operations
    .filter(({ op }) => op === 'remove' || op === 'replace' || op === 'move')
    .every(({ path }) => {
      if (path === '/spec/paused') return true;
      if (/^\/(spec\/template\/)?metadata\/annotations\/([a-z]+\.)*reloader\.stakater\.com~1/.test(path))
        return true;
      const list = /\/containers\/\d+\/env$/.test(path) ? tested.get(path) : undefined;
      if (Array.isArray(list)) return list.every((each: { name?: unknown }) => isOurVariable(each.name));
      const variable = /^(\/spec\/template\/spec\/containers\/\d+\/env\/\d+)(\/value)?$/.exec(path)?.[1];
      const name = variable && tested.get(`${variable}/name`);
      return isOurVariable(name);
    });
}

function isOurVariable(name: unknown): boolean {
  return typeof name === 'string' && /^(STAKATER_|RELOADER_TRIGGERED_AT$)/.test(name);
}
