/**
 * How a workload is to be reloaded: its ReloaderConfigs, its annotations, the defaults of its namespace and the flags
 * brought together, in this order. What cannot be read is reported and left out, so the next one counts.
 *
 * Of several configs the oldest that says something decides; pauses add up to the longest.
 */
import { FIXED_ANNOTATIONS, pausePeriodOf } from '../model/annotations.ts';
import type { ConfigFacts, RolloutStrategy, TargetFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { Policy, Problem } from '../model/want.ts';
import type { World } from '../model/world.ts';
import type { ConfigOnTarget } from './config-match.ts';
import { createPolicyReader, type PolicyReader } from './policy-reader.ts';
import type { WantSubject } from './want-subject.ts';

export interface PolicyInput {
  readonly subject: WantSubject;
  /** The oldest first. */
  readonly configs: readonly ConfigOnTarget[];
  /** Annotations ask for at least one source. */
  readonly annotated: boolean;
}

export function policyOf(
  { subject, configs, annotated }: PolicyInput,
  world: World,
  settings: ReloaderSettings,
): { readonly policy: Policy; readonly problems: readonly Problem[] } {
  const reader = createPolicyReader(subject);
  const settleMs =
    said(configs, 'settleMs') ?? reader.duration(FIXED_ANNOTATIONS.settle) ?? settings.settleMs;
  const policy: Policy = {
    reloadStrategy: said(configs, 'reloadStrategy') ?? settings.reloadStrategy,
    rolloutStrategy:
      said(configs, 'rolloutStrategy') ?? annotatedStrategy(reader) ?? settings.rolloutStrategy,
    settleMs,
    settleMaxMs: Math.max(settings.settleMaxMs, settleMs),
    batchWindowMs:
      said(configs, 'batchWindowMs') ??
      reader.duration(FIXED_ANNOTATIONS.batchWindow) ??
      settings.batchWindowMs,
    ...pauses(subject, configs, reader, settings),
    frozen: frozen(subject, reader, world, settings),
    cronJob: annotated || configs.length === 0 ? 'run' : settings.cronJobStrategy,
  };
  return { policy, problems: reader.problems };
}

type Saying = 'reloadStrategy' | 'rolloutStrategy' | 'settleMs' | 'batchWindowMs' | 'pausePeriodMs';

/** What one config says for this target: the target's own word first. */
function saidBy<K extends Saying>(
  { config, targets }: ConfigOnTarget,
  key: K,
): TargetFacts[K] | ConfigFacts[K] {
  return targets.find((target) => target[key] !== undefined)?.[key] ?? config[key];
}

function said<K extends Saying>(
  configs: readonly ConfigOnTarget[],
  key: K,
): NonNullable<ConfigFacts[K]> | undefined {
  for (const config of configs) {
    const value = saidBy(config, key);
    if (value !== undefined) return value as NonNullable<ConfigFacts[K]>;
  }
  return undefined;
}

function annotatedStrategy(reader: PolicyReader): RolloutStrategy | undefined {
  const text = reader.word(FIXED_ANNOTATIONS.rolloutStrategy, ['rollout', 'restart'], 'rollout is used');
  return text === undefined ? undefined : text === 'restart' ? 'restart' : 'rollout';
}

function pauses(
  { workload }: WantSubject,
  configs: readonly ConfigOnTarget[],
  reader: PolicyReader,
  { names }: ReloaderSettings,
): Pick<Policy, 'pauseMs' | 'stakaterPauseMs'> {
  const isDeployment = workload.kind === 'Deployment';
  const field = isDeployment ? names.pausePeriod : pausePeriodOf(workload.kind);
  const annotated = reader.duration(field, isDeployment ? 'any-sign' : 'not-negative') ?? 0;
  const asked = configs.map((config) => saidBy(config, 'pausePeriodMs') ?? 0);
  return {
    pauseMs: Math.max(0, ...asked, isDeployment ? 0 : annotated),
    // Stakater pauses and resumes at once for zero and less: the same as not pausing.
    stakaterPauseMs: isDeployment && annotated > 0 ? annotated : undefined,
  };
}

function frozen(
  { workload, namespace }: WantSubject,
  reader: PolicyReader,
  world: World,
  { operatorNamespace }: ReloaderSettings,
): Policy['frozen'] {
  if (reader.flag(FIXED_ANNOTATIONS.freeze, workload.annotations, 'the workload')) return 'workload';
  const isFrozen = (name: string): boolean =>
    reader.flag(FIXED_ANNOTATIONS.freeze, world.namespace(name)?.annotations ?? {}, `Namespace ${name}`);
  if (isFrozen(operatorNamespace)) return 'cluster';
  return namespace !== operatorNamespace && isFrozen(namespace) ? 'namespace' : undefined;
}
