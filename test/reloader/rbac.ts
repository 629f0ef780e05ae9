/** Permissions of the operator: the product's own list, and that of Stakater's chart. */
import type { PolicyRule } from '../control-plane/service-account.ts';
import type { Permissions } from './stage.ts';

const rule = (group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs,
});

const READ = ['get', 'list', 'watch'];

/** One rule for each permission that a scenario can remove. */
export const PRODUCT: Permissions = {
  cluster: [
    rule('', ['secrets'], READ),
    rule('', ['configmaps'], READ),
    rule('', ['namespaces'], READ),
    rule('', ['pods'], ['list']),
    rule('', ['pods/eviction'], ['create']),
    rule('', ['events'], ['create', 'patch']),
    rule('apps', ['deployments', 'statefulsets', 'daemonsets'], [...READ, 'patch']),
    rule('apps', ['replicasets', 'controllerrevisions'], ['list']),
    rule('batch', ['cronjobs'], [...READ, 'patch']),
    rule('batch', ['jobs'], [...READ, 'patch', 'create', 'delete']),
    rule('argoproj.io', ['rollouts'], [...READ, 'patch']),
    rule('apps.openshift.io', ['deploymentconfigs'], [...READ, 'patch']),
    rule('secrets-store.csi.x-k8s.io', ['secretproviderclasses', 'secretproviderclasspodstatuses'], READ),
    rule('reloader.stakater.com', ['reloaderconfigs'], READ),
    rule('reloader.stakater.com', ['reloaderconfigs/status'], ['update', 'patch']),
  ],
  own: [
    rule('', ['secrets'], ['create', 'get', 'update', 'delete']),
    rule('', ['configmaps'], ['create', 'get', 'list', 'update', 'patch']),
    rule('coordination.k8s.io', ['leases'], ['create', 'get', 'update', 'patch']),
  ],
};

/** Exactly the rules of Stakater's chart with `watchGlobally` and no further flag. */
export const STAKATER: Permissions = {
  cluster: [
    rule('', ['secrets', 'configmaps'], ['list', 'get', 'watch']),
    rule('apps', ['deployments', 'daemonsets', 'statefulsets'], ['list', 'get', 'update', 'patch']),
    rule('batch', ['cronjobs'], ['list', 'get']),
    rule('batch', ['jobs'], ['create', 'delete', 'list', 'get']),
    rule('', ['events'], ['create', 'patch']),
  ],
  own: [rule('', ['configmaps'], ['list', 'get', 'watch', 'create', 'update'])],
};

/** With chart value `reloader.restoreConfigMaps`. */
export const RESTORING: Permissions = {
  cluster: [...PRODUCT.cluster, rule('', ['configmaps'], ['create', 'patch', 'delete'])],
  own: PRODUCT.own,
};

/** The product's list without some verbs of one resource. */
export function without(resource: string, ...verbs: readonly string[]): Permissions {
  const drop = (rules: readonly PolicyRule[]): PolicyRule[] =>
    rules.flatMap((each) => {
      if (!each.resources?.includes(resource)) return [each];
      const others = each.resources.filter((name) => name !== resource);
      const left = verbs.length === 0 ? [] : each.verbs.filter((verb) => !verbs.includes(verb));
      return [
        ...(others.length > 0 ? [{ ...each, resources: others }] : []),
        ...(left.length > 0 ? [{ ...each, resources: [resource], verbs: left }] : []),
      ];
    });
  return { cluster: drop(PRODUCT.cluster), own: PRODUCT.own };
}

export function withoutOwn(resource: string): Permissions {
  return {
    cluster: PRODUCT.cluster,
    own: PRODUCT.own.filter(({ resources }) => !resources?.includes(resource)),
  };
}
