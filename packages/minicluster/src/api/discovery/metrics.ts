/** A few metrics of this server, in the text format of Prometheus. */
import type { Cluster } from '../cluster.ts';

export function metricsText({ store, replica }: Cluster): string {
  const objects = store
    .resources()
    .sort()
    .map((resource) => `apiserver_storage_objects{resource="${resource}"} ${store.count(resource)}`);
  return [
    '# HELP apiserver_storage_objects Number of stored objects, by resource.',
    '# TYPE apiserver_storage_objects gauge',
    ...objects,
    '# HELP minicluster_revision The newest revision.',
    '# TYPE minicluster_revision gauge',
    `minicluster_revision ${store.revision}`,
    '# HELP minicluster_watchers Watches that are open now.',
    '# TYPE minicluster_watchers gauge',
    `minicluster_watchers ${replica.watchers}`,
    '',
  ].join('\n');
}
