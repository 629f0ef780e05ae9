/** What the operator of these tests may do: no more than the product asks its users for. */
import type { PolicyRule } from '../control-plane/service-account.ts';

const READ = ['get', 'list', 'watch'];

export const CLUSTER_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['configmaps', 'secrets', 'namespaces'], verbs: READ },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  {
    apiGroups: ['apps'],
    resources: ['deployments', 'statefulsets', 'daemonsets'],
    verbs: [...READ, 'patch'],
  },
  { apiGroups: ['batch'], resources: ['cronjobs', 'jobs'], verbs: [...READ, 'patch'] },
  { apiGroups: ['reloader.stakater.com'], resources: ['reloaderconfigs'], verbs: READ },
  { apiGroups: ['reloader.stakater.com'], resources: ['reloaderconfigs/status'], verbs: ['patch'] },
];

/** In its own namespace: digest key, history and meta-info. */
export const OWN_RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['get', 'create', 'patch', 'update'] },
];
