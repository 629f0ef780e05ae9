/** The metrics of the earlier controller, under the same names; all are registered from the start. */
import type { Metrics } from '@reloader/runtime';

export interface PodConfigMetrics {
  operation(operation: 'create' | 'update' | 'delete', namespace: string, result: 'success' | 'error'): void;
  duration(resource: 'pod' | 'pcmc', namespace: string, seconds: number): void;
  error(resource: 'pod' | 'pcmc', namespace: string, type: string): void;
  status(name: string, namespace: string, ready: boolean): void;
  active(name: string, namespace: string, configMaps: number): void;
  forget(name: string, namespace: string): void;
  /** Reads the depth at every scrape, until the returned function is called. */
  queue(name: string, depth: () => number): () => void;
}

const PREFIX = 'podconfigmap_controller_';

export function createPodConfigMetrics(metrics: Metrics): PodConfigMetrics {
  const operations = metrics.counter({
    name: `${PREFIX}configmap_operations_total`,
    help: 'Writes of generated ConfigMaps by operation, namespace and result',
    labelNames: ['operation', 'namespace', 'result'],
  });
  const durations = metrics.histogram({
    name: `${PREFIX}reconciliation_duration_seconds`,
    help: 'How long one pass took, by kind of resource and namespace',
    labelNames: ['resource_type', 'namespace'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
  });
  const errors = metrics.counter({
    name: `${PREFIX}reconciliation_errors_total`,
    help: 'Passes that failed, by kind of resource, namespace and type of error',
    labelNames: ['resource_type', 'namespace', 'error_type'],
  });
  const statuses = metrics.gauge({
    name: `${PREFIX}pcmc_status`,
    help: '1 while a PodConfigMapConfig is Ready, 0 while it is not',
    labelNames: ['name', 'namespace'],
  });
  const active = metrics.gauge({
    name: `${PREFIX}active_configmaps`,
    help: 'ConfigMaps that exist for a PodConfigMapConfig',
    labelNames: ['namespace', 'pcmc_name'],
  });
  const depths = metrics.gauge({
    name: `${PREFIX}queue_depth`,
    help: 'Keys that wait for a worker or for their time, by queue',
    labelNames: ['queue_name'],
    initial: [{ queue_name: 'pods' }, { queue_name: 'podconfigmapconfigs' }],
  });
  return {
    operation: (operation, namespace, result) => operations.inc({ operation, namespace, result }),
    duration: (resource_type, namespace, seconds) => durations.observe(seconds, { resource_type, namespace }),
    error: (resource_type, namespace, error_type) => errors.inc({ resource_type, namespace, error_type }),
    status: (name, namespace, ready) => statuses.set(ready ? 1 : 0, { name, namespace }),
    active: (name, namespace, count) => active.set(count, { namespace, pcmc_name: name }),
    forget: (name, namespace) => {
      statuses.remove({ name, namespace });
      active.remove({ namespace, pcmc_name: name });
    },
    queue: (queue_name, depth) => metrics.onScrape(() => depths.set(depth(), { queue_name })),
  };
}
