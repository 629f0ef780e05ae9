/**
 * Determines how a workload is to be reloaded. Merges, in this order: the ReloaderConfigs that watch a changed source,
 * the workload's annotations, the defaults of its namespace, and the flags. An invalid value is reported and skipped,
 * so the next one applies.
 *
 * A config applies only to reloads for sources that it watches. Of several configs the oldest that sets the value
 * decides.
 */
import { FIXED_ANNOTATIONS, pausePeriodOf } from '../model/annotations.ts';
import type { ConfigFacts, RolloutStrategy, TargetFacts } from '../model/config.ts';
import { shortest } from '../model/policy.ts';
import type { RateLimit } from '../model/rate.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { ConfigPolicy, Policy, Problem } from '../model/want.ts';
import type { World } from '../model/world.ts';
import { budgetOfConfig, ownBudgets } from './budgets.ts';
import { annotatedCondition, conditionOfConfig } from './conditions.ts';
import { type ConfigOnTarget, configName } from './config-match.ts';
import { freezesOf } from './freeze.ts';
import { annotatedOrderProblems, orderProblemsOfConfig } from './order.ts';
import { createPolicyReader, type PolicyReader } from './policy-reader.ts';
import { annotatedOnFailure, annotatedVerify, verifyOfConfig } from './verify.ts';
import type { WantSubject } from './want-subject.ts';
import { annotatedWindows, windowsOfConfig } from './windows.ts';

/** The policy without ReloaderConfigs. */
export function ownPolicy(
  subject: WantSubject,
  world: World,
  settings: ReloaderSettings,
): { readonly policy: Policy; readonly problems: readonly Problem[] } {
  const reader = createPolicyReader(subject);
  const settleMs = reader.duration(FIXED_ANNOTATIONS.settle) ?? settings.settleMs;
  const freezes = freezesOf(subject, world, settings);
  const windows = annotatedWindows(subject, world, settings);
  const budgets = ownBudgets(subject.namespace, world, settings);
  const conditions = annotatedCondition(subject);
  const holding = [
    ...windows.problems,
    ...budgets.problems,
    ...conditions.problems,
    ...annotatedOrderProblems(subject),
  ];
  const policy: Policy = {
    reloadStrategy: settings.reloadStrategy,
    rolloutStrategy: annotatedStrategy(reader) ?? settings.rolloutStrategy,
    settleMs,
    settleMaxMs: Math.max(settings.settleMaxMs, settleMs),
    batchWindowMs: reader.duration(FIXED_ANNOTATIONS.batchWindow) ?? settings.batchWindowMs,
    ...pauses(subject, reader, settings),
    freezes: freezes.freezes,
    rateLimit: rateOf(reader, settings),
    windows: windows.windows,
    maxWaitMs: maxWaitOf(subject, reader, world, settings),
    budgets: budgets.budgets,
    conditions: conditions.conditions,
    verify: annotatedVerify(reader, subject.namespace, settings),
    onFailure: annotatedOnFailure(reader),
    invalid: whyHeld(holding),
    cronJob: 'run',
  };
  return {
    policy,
    problems: [...reader.problems, ...freezes.problems, ...holding],
  };
}

/** The policy of one config for this workload: the target's settings override those of the spec. */
export function configPolicy(onTarget: ConfigOnTarget, { cronJobStrategy }: ReloaderSettings): ConfigPolicy {
  const { config, targets } = onTarget;
  const said = <K extends Saying>(key: K): TargetFacts[K] | ConfigFacts[K] =>
    targets.find((target) => target[key] !== undefined)?.[key] ?? config[key];
  const windows = windowsOfConfig(config);
  const budgets = budgetOfConfig(config);
  const conditions = conditionOfConfig(onTarget);
  const problems = [
    ...windows.problems,
    ...budgets.problems,
    ...conditions.problems,
    ...orderProblemsOfConfig(onTarget),
  ];
  return {
    config: configName(config),
    reloadStrategy: said('reloadStrategy'),
    rolloutStrategy: said('rolloutStrategy'),
    settleMs: said('settleMs'),
    batchWindowMs: said('batchWindowMs'),
    pauseMs: said('pausePeriodMs'),
    approval: said('approval'),
    rateLimit: config.rateLimit,
    windows: windows.windows,
    maxWaitMs: config.maxWaitMs,
    budgets: budgets.budgets,
    conditions: conditions.conditions,
    verify: verifyOfConfig(said('verify'), config, targets[0]?.namespace ?? config.metadata.namespace),
    onFailure: said('onFailure'),
    invalid: whyHeld(problems),
    problems,
    cronJob: cronJobStrategy,
  };
}

type Saying =
  | 'approval'
  | 'verify'
  | 'onFailure'
  | 'reloadStrategy'
  | 'rolloutStrategy'
  | 'settleMs'
  | 'batchWindowMs'
  | 'pausePeriodMs';

function annotatedStrategy(reader: PolicyReader): RolloutStrategy | undefined {
  const text = reader.word(FIXED_ANNOTATIONS.rolloutStrategy, ['rollout', 'restart'], 'rollout is used');
  return text === undefined ? undefined : text === 'restart' ? 'restart' : 'rollout';
}

function pauses(
  { workload }: WantSubject,
  reader: PolicyReader,
  { names }: ReloaderSettings,
): Pick<Policy, 'pauseMs' | 'pausedBy' | 'stakaterPauseMs'> {
  const isDeployment = workload.kind === 'Deployment';
  const field = isDeployment ? names.pausePeriod : pausePeriodOf(workload.kind);
  const annotated = reader.duration(field, isDeployment ? 'any-sign' : 'not-negative') ?? 0;
  return {
    pauseMs: isDeployment ? 0 : annotated,
    pausedBy: isDeployment || annotated === 0 ? undefined : `annotation ${field}`,
    // For zero and less, Stakater pauses and resumes at once, which is the same as no pause.
    stakaterPauseMs: isDeployment && annotated > 0 ? annotated : undefined,
  };
}

function rateOf(reader: PolicyReader, { reloadRate }: ReloaderSettings): RateLimit | undefined {
  const said = reader.rate(FIXED_ANNOTATIONS.rateLimit);
  return said === undefined ? reloadRate : said === 'off' ? undefined : said;
}

/** The shortest of all given deadlines. */
function maxWaitOf(
  { workload, namespace }: WantSubject,
  reader: PolicyReader,
  world: World,
  { operatorNamespace }: ReloaderSettings,
): number | undefined {
  const field = FIXED_ANNOTATIONS.maxWait;
  const ofNamespace = (name: string): number | undefined =>
    reader.durationOf(field, world.namespace(name)?.annotations ?? {}, `Namespace ${name}`);
  return shortest([
    reader.durationOf(field, workload.annotations, 'the workload'),
    ofNamespace(namespace),
    ...(namespace === operatorNamespace ? [] : [ofNamespace(operatorNamespace)]),
  ]);
}

function whyHeld(problems: readonly Problem[]): string | undefined {
  const [first, ...more] = problems;
  if (!first) return undefined;
  return `${first.message}${more.length > 0 ? `; and ${more.length} more` : ''}`;
}
