import type { KindRef } from '../model/local-api.ts';

const ref = (group: string, plural: string): KindRef => ({ group, plural });

export const PODS = ref('', 'pods');
export const NODES = ref('', 'nodes');
export const NAMESPACES = ref('', 'namespaces');
export const CONFIG_MAPS = ref('', 'configmaps');
export const SECRETS = ref('', 'secrets');
export const SERVICE_ACCOUNTS = ref('', 'serviceaccounts');
export const CLAIMS = ref('', 'persistentvolumeclaims');
export const DEPLOYMENTS = ref('apps', 'deployments');
export const REPLICA_SETS = ref('apps', 'replicasets');
export const STATEFUL_SETS = ref('apps', 'statefulsets');
export const DAEMON_SETS = ref('apps', 'daemonsets');
export const REVISIONS = ref('apps', 'controllerrevisions');
export const JOBS = ref('batch', 'jobs');
export const CRON_JOBS = ref('batch', 'cronjobs');
export const BUDGETS = ref('policy', 'poddisruptionbudgets');

export function sameKind(a: KindRef, b: KindRef): boolean {
  return a.plural === b.plural && a.group === b.group;
}
