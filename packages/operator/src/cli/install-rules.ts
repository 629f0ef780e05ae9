/**
 * The rules of the operator's role, each only with the feature that needs it. The same as the chart's roles for the
 * same features (test/chart/rbac.cluster.test.ts compares).
 */
import type { ControllerName } from '../settings/settings.ts';

export const FEATURES = ['evictions', 'alert-secrets', 'restore-config-maps'] as const;
/**
 * `evictions`: restarts that evict pods. `alert-secrets`: addresses of alerts in Secrets that a ReloaderConfig names.
 * `restore-config-maps`: ConfigMaps are restored after a failed reload.
 */
export type Feature = (typeof FEATURES)[number];

export interface RuleOptions {
  readonly controllers: ReadonlySet<ControllerName>;
  readonly features: ReadonlySet<Feature>;
}

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

const rule = (
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
  resourceNames?: readonly string[],
): Rule => ({ apiGroups: [group], resources, ...(resourceNames && { resourceNames }), verbs });

/** For an operator that watches all namespaces: freezing, consent across namespaces, selectors, defaults. */
export const NAMESPACE_RULE = rule('', ['namespaces'], ['list', 'watch']);

/** For every watched namespace. */
export function watchedRules({ controllers, features }: RuleOptions): readonly Rule[] {
  return [
    ...(controllers.has('reloader') ? reloaderRules(features, controllers.has('podconfig')) : []),
    ...(controllers.has('podconfig') ? podConfigRules() : []),
    rule('', ['events'], ['create', 'patch']),
  ];
}

function reloaderRules(features: ReadonlySet<Feature>, watchesPods: boolean): readonly Rule[] {
  return [
    rule('', ['secrets'], ['list', 'watch']),
    ...(features.has('alert-secrets') ? [rule('', ['secrets'], ['get'])] : []),
    rule('', ['configmaps'], ['list', 'watch']),
    // The controller that watches pods creates ConfigMaps, and has that right already.
    ...(features.has('restore-config-maps') && !watchesPods
      ? [rule('', ['configmaps'], ['create', 'patch', 'delete'])]
      : []),
    ...(watchesPods ? [] : [rule('', ['pods'], ['list'])]),
    ...(features.has('evictions') ? [rule('', ['pods/eviction'], ['create'])] : []),
    rule('apps', ['deployments', 'statefulsets', 'daemonsets'], ['list', 'watch', 'patch']),
    // The revisions that a failed reload is rolled back to.
    rule('apps', ['replicasets', 'controllerrevisions'], ['list']),
    rule('batch', ['cronjobs'], ['list', 'watch', 'get']),
    rule('batch', ['jobs'], ['list', 'watch', 'get']),
    // Jobs are recreated, and CronJobs run.
    rule('batch', ['jobs'], ['create', 'delete']),
    rule('reloader.stakater.com', ['reloaderconfigs'], ['get', 'list', 'watch']),
    rule('reloader.stakater.com', ['reloaderconfigs/status'], ['patch']),
  ];
}

function podConfigRules(): readonly Rule[] {
  return [
    rule('', ['pods'], ['list', 'watch']),
    // Needed where admission enforces it: a client that sets blockOwnerDeletion must be allowed to update the owner's
    // finalizers.
    rule('', ['pods/finalizers'], ['update']),
    rule('', ['configmaps'], ['get', 'list', 'watch', 'create', 'patch', 'delete']),
    rule('podconfig.example.com', ['podconfigmapconfigs'], ['get', 'list', 'watch']),
    rule('podconfig.example.com', ['podconfigmapconfigs/status'], ['patch']),
  ];
}

/** For its own namespace: digest key, notes, history, meta info, Jobs being recreated. */
export function ownRules({ controllers }: RuleOptions): readonly Rule[] {
  if (!controllers.has('reloader')) return [];
  return [
    // The names of the notes' ConfigMaps depend on the namespaces, so the rule names none.
    rule('', ['configmaps'], ['create', 'get', 'list', 'update']),
    rule('', ['configmaps'], ['patch'], ['reloader-history', 'reloader-meta-info']),
    rule('', ['secrets'], ['create', 'list', 'update', 'delete']),
    rule('', ['secrets'], ['get'], ['reloader-digest-key']),
  ];
}
