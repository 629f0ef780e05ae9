/**
 * What the operator's account may do, each rule only with what needs it. The same as the chart's roles for the same
 * features (test/chart/rbac.cluster.test.ts compares).
 */
import type { ControllerName } from '../settings/settings.ts';

export const FEATURES = ['evictions', 'alert-secrets', 'restore-config-maps'] as const;
/**
 * `evictions`: restarts that evict pods. `alert-secrets`: addresses of alerts in Secrets that a ReloaderConfig names.
 * `restore-config-maps`: ConfigMaps are put back after a reload that failed.
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

/** Where all namespaces are watched: freezing, consent across namespaces, selectors, defaults. */
export const NAMESPACE_RULE = rule('', ['namespaces'], ['list', 'watch']);

/** In every namespace in question. */
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
    // Whoever watches pods makes ConfigMaps of them, and has that right.
    ...(features.has('restore-config-maps') && !watchesPods
      ? [rule('', ['configmaps'], ['create', 'patch', 'delete'])]
      : []),
    ...(watchesPods ? [] : [rule('', ['pods'], ['list'])]),
    ...(features.has('evictions') ? [rule('', ['pods/eviction'], ['create'])] : []),
    rule('apps', ['deployments', 'statefulsets', 'daemonsets'], ['list', 'watch', 'patch']),
    // Where a reload that failed goes back to.
    rule('apps', ['replicasets', 'controllerrevisions'], ['list']),
    rule('batch', ['cronjobs'], ['list', 'watch', 'get']),
    rule('batch', ['jobs'], ['list', 'watch', 'get']),
    // Jobs are made again, and CronJobs run.
    rule('batch', ['jobs'], ['create', 'delete']),
    rule('reloader.stakater.com', ['reloaderconfigs'], ['get', 'list', 'watch']),
    rule('reloader.stakater.com', ['reloaderconfigs/status'], ['patch']),
  ];
}

function podConfigRules(): readonly Rule[] {
  return [
    rule('', ['pods'], ['list', 'watch']),
    // Where admission enforces it: who makes an owner block its own deletion must be allowed to.
    rule('', ['pods/finalizers'], ['update']),
    rule('', ['configmaps'], ['get', 'list', 'watch', 'create', 'patch', 'delete']),
    rule('podconfig.example.com', ['podconfigmapconfigs'], ['get', 'list', 'watch']),
    rule('podconfig.example.com', ['podconfigmapconfigs/status'], ['patch']),
  ];
}

/** In its own namespace: digest key, notes, history, meta info, Jobs being made again. */
export function ownRules({ controllers }: RuleOptions): readonly Rule[] {
  if (!controllers.has('reloader')) return [];
  return [
    // Notes have names of their own for each namespace.
    rule('', ['configmaps'], ['create', 'get', 'list', 'update']),
    rule('', ['configmaps'], ['patch'], ['reloader-history', 'reloader-meta-info']),
    rule('', ['secrets'], ['create', 'list', 'update', 'delete']),
    rule('', ['secrets'], ['get'], ['reloader-digest-key']),
  ];
}
