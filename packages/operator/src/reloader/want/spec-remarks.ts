/**
 * What in a ReloaderConfig contradicts itself, has no effect or stands there twice. Pure. Nothing of it keeps the rest
 * from working; `lint` says it before the object exists, the condition QuestionableSpec afterwards.
 */
import type { ConfigFacts, TargetFacts } from '../model/config.ts';

export interface SpecRemark {
  /** Path within the object: `spec.targets[0]`. */
  readonly field: string;
  readonly rule: 'no-effect' | 'twice' | 'contradiction';
  /** Continues the sentence that the field begins. */
  readonly message: string;
}

export function specRemarks(config: ConfigFacts): SpecRemark[] {
  return [
    ...unusedReferences(config),
    ...uselessRestores(config),
    ...repeatedTargets(config),
    ...ignoredAndNamed(config),
  ];
}

function unusedReferences({ enableTargetedReload, targets }: ConfigFacts): SpecRemark[] {
  const index = enableTargetedReload ? -1 : targets.findIndex(({ requireReference }) => requireReference);
  if (index < 0) return [];
  const message = 'has no effect without watchedResources.enableTargetedReload: true';
  return [{ field: `spec.targets[${index}].requireReference`, rule: 'no-effect', message }];
}

/** Nothing else says that a reload failed. A flag or an annotation may ask for `verify`, too: then somebody says so here. */
function uselessRestores({
  verify,
  onFailure,
  targets,
  configMaps,
  secrets,
  autoReloadAll,
}: ConfigFacts): SpecRemark[] {
  const onTarget = targets.findIndex((target) => target.onFailure === 'restore' && !target.verify && !verify);
  const isRestore = onFailure === 'restore';
  const isVerified = verify !== undefined || targets.every((target) => target.verify !== undefined);
  const field = isRestore ? 'spec.onFailure' : `spec.targets[${onTarget}].onFailure`;
  if ((isRestore && !isVerified) || onTarget >= 0) {
    const message = 'has no effect where no verify asks how the reload ends';
    return [{ field, rule: 'no-effect', message }];
  }
  if (isRestore && configMaps.length === 0 && secrets.length > 0 && !autoReloadAll) {
    return [{ field, rule: 'no-effect', message: 'has no effect on Secrets, which are never put back' }];
  }
  return [];
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
