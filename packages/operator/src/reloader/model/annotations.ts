/**
 * The annotation names that users write. Stakater's flags rename some of them, so code uses this table instead of
 * literals.
 */
const PREFIX = 'reloader.stakater.com';

export interface AnnotationNames {
  /** On workloads (or their pod templates). */
  readonly auto: string;
  readonly configMapAuto: string;
  readonly secretAuto: string;
  readonly providerClassAuto: string;
  readonly configMapReload: string;
  readonly secretReload: string;
  readonly providerClassReload: string;
  readonly configMapExclude: string;
  readonly secretExclude: string;
  readonly providerClassExclude: string;
  readonly search: string;
  /** On sources. */
  readonly match: string;
  readonly ignore: string;
  /** Stakater's pausing of Deployments (`spec.paused`). */
  readonly pausePeriod: string;
  readonly pausedAt: string;
}

export const DEFAULT_ANNOTATIONS: AnnotationNames = {
  auto: `${PREFIX}/auto`,
  configMapAuto: `configmap.${PREFIX}/auto`,
  secretAuto: `secret.${PREFIX}/auto`,
  providerClassAuto: `secretproviderclass.${PREFIX}/auto`,
  configMapReload: `configmap.${PREFIX}/reload`,
  secretReload: `secret.${PREFIX}/reload`,
  providerClassReload: `secretproviderclass.${PREFIX}/reload`,
  configMapExclude: `configmaps.exclude.${PREFIX}/reload`,
  secretExclude: `secrets.exclude.${PREFIX}/reload`,
  providerClassExclude: `secretproviderclasses.exclude.${PREFIX}/reload`,
  search: `${PREFIX}/search`,
  match: `${PREFIX}/match`,
  ignore: `${PREFIX}/ignore`,
  pausePeriod: `deployment.${PREFIX}/pause-period`,
  pausedAt: `deployment.${PREFIX}/paused-at`,
};

/** Names that no flag renames. */
export const FIXED_ANNOTATIONS = {
  lastReloadedFrom: `${PREFIX}/last-reloaded-from`,
  lastReload: `${PREFIX}/last-reload`,
  lastHash: `${PREFIX}/last-hash`,
  rolloutStrategy: `${PREFIX}/rollout-strategy`,
  ledger: `${PREFIX}/ledger`,
  rolled: `${PREFIX}/rolled`,
  /** While pods are evicted one by one: the content they are evicted for, and which of them are older than that. */
  restarting: `${PREFIX}/restarting`,
  kind: `${PREFIX}/kind`,
  keys: `${PREFIX}/keys`,
  freeze: `${PREFIX}/freeze`,
  freezeReason: `${PREFIX}/freeze-reason`,
  syncWindows: `${PREFIX}/sync-windows`,
  restartWindow: `${PREFIX}/restart-window`,
  maxWait: `${PREFIX}/max-wait`,
  rateLimit: `${PREFIX}/rate-limit`,
  maxConcurrent: `${PREFIX}/max-concurrent`,
  verify: `${PREFIX}/verify`,
  verifyTimeout: `${PREFIX}/verify-timeout`,
  verifyStableFor: `${PREFIX}/verify-stable-for`,
  verifyMaxRestarts: `${PREFIX}/verify-max-restarts`,
  onFailure: `${PREFIX}/on-failure`,
  condition: `${PREFIX}/condition`,
  wave: `${PREFIX}/wave`,
  canary: `${PREFIX}/canary`,
  approval: `${PREFIX}/approval`,
  approve: `${PREFIX}/approve`,
  now: `${PREFIX}/now`,
  settle: `${PREFIX}/settle`,
  batchWindow: `${PREFIX}/batch-window`,
  allowFrom: `${PREFIX}/allow-from`,
  /** On sources: rules that their content must meet before it is rolled out. */
  requiredKeys: `${PREFIX}/required-keys`,
  format: `${PREFIX}/format`,
} as const;

/** `statefulset.reloader.stakater.com/pause-period` and similar: for kinds that Stakater does not pause. */
export function pausePeriodOf(kind: string): string {
  return `${kind.toLowerCase()}.${PREFIX}/pause-period`;
}

/** True for an annotation that the caches keep: one under our domain, or one that a flag renamed. */
export function isOurs(name: string, names: AnnotationNames): boolean {
  const domain = name.indexOf('/') - PREFIX.length;
  if (domain >= 0 && name.startsWith(PREFIX, domain) && (domain === 0 || name[domain - 1] === '.'))
    return true;
  return isNamed(name, names);
}

/** True for one of these names. Their set is made once, because this is asked for each annotation of each object. */
export function isNamed(name: string, names: AnnotationNames): boolean {
  let values = valuesOf.get(names);
  if (!values) {
    values = new Set(Object.values(names));
    valuesOf.set(names, values);
  }
  return values.has(name);
}

const valuesOf = new WeakMap<AnnotationNames, ReadonlySet<string>>();

/** Label of the notebook's ConfigMaps. Our watch of ConfigMaps excludes them. */
export const NOTES_LABEL = 'reloader.stakater.com/notes';

/** Label of the copies of ConfigMaps that are kept in case the next content fails. The watch excludes them, too. */
export const KEPT_LABEL = 'reloader.stakater.com/kept';

/** The field manager of our writes; Stakater Reloader uses the same. */
export const FIELD_MANAGER = 'Reloader';
