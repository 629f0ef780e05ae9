/**
 * Finds contradictions, settings without effect and duplicates in a ReloaderConfig. Pure. The rest of the config still
 * works; `lint` reports them before the object exists, the condition QuestionableSpec afterwards.
 */
import type { ConfigFacts, TargetFacts } from '../model/config.ts';
import type { SourceRef } from '../model/source.ts';

export interface SpecRemark {
  /** Path within the object: `spec.targets[0]`. */
  readonly field: string;
  readonly rule: 'no-effect' | 'twice' | 'contradiction';
  /** The message, worded to follow the field. */
  readonly message: string;
}

export type SourceExists = (ref: SourceRef) => boolean;

/** `verifiesAll`: the operator's flag asks to verify all reloads. */
export function specRemarks(config: ConfigFacts, exists: SourceExists, verifiesAll = false): SpecRemark[] {
  return [
    ...unusedReferences(config),
    ...uselessRestores(config, verifiesAll),
    ...repeatedTargets(config),
    ...ignoredAndNamed(config),
    ...unwatchedRules(config, exists),
  ];
}

function unusedReferences({ enableTargetedReload, targets }: ConfigFacts): SpecRemark[] {
  const index = enableTargetedReload ? -1 : targets.findIndex(({ requireReference }) => requireReference);
  if (index < 0) return [];
  const message = 'has no effect without watchedResources.enableTargetedReload: true';
  return [{ field: `spec.targets[${index}].requireReference`, rule: 'no-effect', message }];
}

/** `restore` without `verify` has no effect: only verification detects that a reload failed. */
function uselessRestores(config: ConfigFacts, verifiesAll: boolean): SpecRemark[] {
  const { verify, onFailure, targets, configMaps, secrets, resourceSelector, autoReloadAll } = config;
  const unverified = targets.findIndex(
    (target) => (target.onFailure ?? onFailure) === 'restore' && !target.verify && !verify && !verifiesAll,
  );
  const own = targets[unverified]?.onFailure === undefined ? '' : `targets[${unverified}].`;
  if (unverified >= 0) {
    const message = 'has no effect where neither verify nor the flag --verify asks how a reload ends';
    return [{ field: `spec.${own}onFailure`, rule: 'no-effect', message }];
  }
  const isOnlySecrets = configMaps.length === 0 && secrets.length > 0 && !resourceSelector && !autoReloadAll;
  if (onFailure !== 'restore' || !isOnlySecrets) return [];
  return [
    {
      field: 'spec.onFailure',
      rule: 'no-effect',
      message: 'has no effect on Secrets, which are never put back',
    },
  ];
}

function repeatedTargets({ targets }: ConfigFacts): SpecRemark[] {
  const first = new Map<string, { readonly index: number; readonly target: TargetFacts }>();
  return targets.flatMap((target, index): SpecRemark[] => {
    const { kind, namespace, name } = target;
    const key = `${kind} ${namespace}/${name}`;
    const known = first.get(key);
    if (!known) {
      first.set(key, { index, target });
      return [];
    }
    const differing = MANNERS.filter(({ of }) => of(target) !== undefined && of(target) !== of(known.target));
    const more =
      differing.length === 0 ? '' : ` with another ${differing.map(({ field }) => field).join(', ')}`;
    const message = `names ${kind} ${name} again${more}: of spec.targets[${known.index}] and this the first that says something counts`;
    return [{ field: `spec.targets[${index}]`, rule: 'twice', message }];
  });
}

const MANNERS: readonly { field: string; of: (target: TargetFacts) => unknown }[] = [
  { field: 'rolloutStrategy', of: ({ rolloutStrategy }) => rolloutStrategy },
  { field: 'reloadStrategy', of: ({ reloadStrategy }) => reloadStrategy },
  { field: 'pausePeriod', of: ({ pausePeriodMs }) => pausePeriodMs },
  { field: 'settle', of: ({ settleMs }) => settleMs },
  { field: 'batchWindow', of: ({ batchWindowMs }) => batchWindowMs },
  { field: 'onFailure', of: ({ onFailure }) => onFailure },
];

function ignoredAndNamed({ ignoreResources, secrets, configMaps }: ConfigFacts): SpecRemark[] {
  return ignoreResources.flatMap(({ kind, name }, index): SpecRemark[] => {
    const names = kind === 'Secret' ? secrets : configMaps;
    if (!names.includes(name)) return [];
    const message = `leaves out ${kind} ${name}, which watchedResources names`;
    return [{ field: `spec.ignoreResources[${index}]`, rule: 'contradiction', message }];
  });
}

/**
 * A rule holds reloads only for sources that the config watches. One for another source that exists is meant for the
 * admission of writes; one for a source that does not exist may be a typing error.
 */
function unwatchedRules(config: ConfigFacts, exists: SourceExists): SpecRemark[] {
  const { validate, secrets, configMaps, autoReloadAll, metadata } = config;
  if (autoReloadAll || secrets.length + configMaps.length === 0) return [];
  return validate.flatMap(({ source }, index): SpecRemark[] => {
    if (!source || (source.kind === 'Secret' ? secrets : configMaps).includes(source.name)) return [];
    if (exists({ ...source, namespace: metadata.namespace })) return [];
    const message = `names ${source.kind} ${source.name}, which watchedResources does not: no reload is held by this rule`;
    return [{ field: `spec.validate[${index}].source`, rule: 'no-effect', message }];
  });
}
