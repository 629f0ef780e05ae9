/** All statements about one ReloaderConfig, faults and remarks. Pure. */
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import type { ConfigFacts } from '../../model/config.ts';
import { policyFor } from '../../model/policy.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import type { Problem, Want } from '../../model/want.ts';
import type { World } from '../../model/world.ts';
import { watchedNamespaces, watchesNothing } from '../../want/config-match.ts';
import { specRemarks } from '../../want/spec-remarks.ts';
import { fanOutText } from '../fan-out.ts';
import { aboutAlerts } from './alerts.ts';
import type { WatchedSources } from './sources.ts';
import { named, type Statement } from './statement.ts';
import { nameOf, type TargetState } from './targets.ts';

export interface StatementInput {
  readonly config: ConfigFacts;
  readonly world: Pick<World, 'namespace' | 'namespaces' | 'source' | 'inScope'>;
  readonly settings: ReloaderSettings;
  readonly targets: readonly TargetState[];
  readonly sources: WatchedSources;
  /** Alerts that could not be sent, each with its channel. */
  readonly alertFailures: readonly string[];
  /** Statements about the installation as a whole. */
  readonly installation: readonly Statement[];
}

export function statementsOf(input: StatementInput): Statement[] {
  const { config, targets, sources, world, settings } = input;
  return [
    ...config.problems.map(({ field, message }) => ({
      reason: 'InvalidSpec',
      message: `${field}: ${message}`,
    })),
    ...emptyParts(config, sources),
    ...specRemarks(config, (ref) => world.source(ref).kind !== 'gone', settings.verify).map(
      ({ field, message }) => ({
        reason: 'QuestionableSpec',
        message: `${field} ${message}`,
      }),
    ),
    ...targets.flatMap(({ problem }) => problem ?? []),
    ...sources.missing.map((message) => ({ reason: 'ResourceNotFound', message })),
    ...sources.unreadable.map((message) => ({ reason: 'ResourceUnreadable', message })),
    ...sources.filtered.map((message) => ({ reason: 'SourceFiltered', message })),
    ...deniedNamespaces(config, world, settings),
    ...targets.flatMap((state) => aboutTarget(state, config)),
    ...fanOut(config, targets, settings),
    ...aboutAlerts(config, world, settings, input.alertFailures),
    ...input.installation,
  ];
}

/**
 * Said if no selected namespace allows it, in the same words if none is selected; of others nothing is said. An author
 * of configs must not learn which namespaces there are, nor which labels they have.
 */
function deniedNamespaces(
  config: ConfigFacts,
  world: StatementInput['world'],
  settings: ReloaderSettings,
): Statement[] {
  if (!config.namespaceSelector || settings.allowCrossNamespace) return [];
  if (watchedNamespaces(config, world, settings).length > 0) return [];
  const home = config.metadata.namespace;
  const message = `spec.watchedResources.namespaceSelector: no namespace that it selects allows ReloaderConfigs of namespace ${home}, as far as the operator can see: annotate those Namespaces with ${FIXED_ANNOTATIONS.allowFrom}: "${home}", or start the operator with --allow-cross-namespace`;
  return [{ reason: 'CrossNamespaceDenied', message }];
}

function emptyParts(config: ConfigFacts, sources: WatchedSources): Statement[] {
  const { targets, problems } = config;
  const statements: Statement[] = [];
  const isProblem = (part: string): boolean => problems.some(({ field }) => field.startsWith(part));
  if (targets.length === 0 && !isProblem('spec.targets')) {
    const message = 'spec.targets is empty, so nothing is ever reloaded: name at least one workload';
    statements.push({ reason: 'NoTargets', message });
  }
  if (watchesNothing(config) && !isProblem('spec.watchedResources')) {
    const message =
      'spec.watchedResources names nothing: add secrets, configMaps or a resourceSelector, or set autoReloadAll';
    statements.push({ reason: 'NothingWatched', message });
  }
  if (sources.allFiltered) {
    const message = `Nothing that is named counts: ${named(sources.filtered)}`;
    statements.push({ reason: 'NothingWatched', message });
  }
  return statements;
}

/** A warning about the watched source that would restart the most targets at once. */
function fanOut(
  config: ConfigFacts,
  targets: readonly TargetState[],
  { warnFanOut }: ReloaderSettings,
): Statement[] {
  const together = new Map<string, number>();
  for (const { view } of targets) {
    for (const { key, ref, configs } of view?.want.sources ?? []) {
      if (!view || !configs.includes(keyOf(config)) || policyFor(view.want, [key]).budgets.length > 0)
        continue;
      const name = `${ref.kind} ${ref.namespace}/${ref.name}`;
      together.set(name, (together.get(name) ?? 0) + 1);
    }
  }
  const [most] = [...together].sort(([, one], [, other]) => other - one);
  const message = most && fanOutText(most[0], most[1], warnFanOut);
  return message === undefined ? [] : [{ reason: 'LargeFanOut', message }];
}

function aboutTarget({ target, view, configs }: TargetState, config: ConfigFacts): Statement[] {
  const statements: Statement[] = [];
  const add = (reason: string, message: string): void =>
    void statements.push({ reason, message: `${nameOf(target)}: ${message}` });
  if (view?.lastError !== undefined) add('ReloadFailed', view.lastError);
  if (view?.rolloutFailed !== undefined) add('RolloutFailed', view.rolloutFailed);
  for (const { reason, message } of view?.notes ?? []) add(reason, message);
  const elsewhere = problemsElsewhere(view?.want, config);
  for (const problem of view?.want.problems ?? []) {
    if (elsewhere.has(problem)) continue;
    const { reason, field, message } = problem;
    if (reason === 'CrossNamespaceDenied') add(reason, `${field}: ${message}`);
    if (HOLDING.includes(reason)) add(reason, message);
  }
  for (const { condition, message } of view?.deferred?.warnings ?? []) {
    if (condition !== undefined) add(condition, message);
  }
  const others = configs.filter(({ metadata }) => metadata.uid !== config.metadata.uid);
  const [oldest] = configs;
  if (others.length > 0 && oldest) {
    add(
      'Shared',
      `also a target of ${named(others.map(keyOf))}: each decides how and when it reloads for what it watches, and for what several watch the oldest that says something; the oldest is ${keyOf(oldest)}`,
    );
  }
  return statements;
}

/** Mistakes of other configs that hold no reload for a source that this one watches. */
function problemsElsewhere(want: Want | undefined, config: ConfigFacts): ReadonlySet<Problem> {
  const watching = new Set(
    want?.sources.flatMap(({ configs }) => (configs.includes(keyOf(config)) ? configs : [])),
  ).add(keyOf(config));
  const others = want?.policies.byConfig.filter((each) => !watching.has(each.config)) ?? [];
  return new Set(others.flatMap(({ problems }) => problems));
}

/** Invalid scheduling settings, which hold the reloads of the target. */
const HOLDING: readonly string[] = ['InvalidWindow', 'InvalidBudget', 'InvalidCondition', 'InvalidOrder'];

const keyOf = ({ metadata }: ConfigFacts): string => `${metadata.namespace}/${metadata.name}`;
