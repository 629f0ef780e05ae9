/**
 * The conditions of a ReloaderConfig. Pure: the same world gives the same list, and a transition time moves only when a
 * statement turns.
 *
 * Available, Progressing and Degraded are always there; the others only while they are true.
 */
import { type Condition, type ConditionUpdate, removeCondition, setCondition } from '@reloader/runtime';
import type { ConfigFacts } from '../../model/config.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import type { World } from '../../model/world.ts';
import { crossNamespaceDenied } from '../../want/cross-namespace.ts';
import { blockedText } from '../texts.ts';
import { aboutAlerts } from './alerts.ts';
import type { WatchedSources } from './sources.ts';
import type { Statement } from './statement.ts';
import { nameOf, type TargetState } from './targets.ts';

export interface ConditionInput {
  readonly config: ConfigFacts;
  readonly world: Pick<World, 'namespace' | 'namespaces' | 'source'>;
  readonly settings: ReloaderSettings;
  readonly targets: readonly TargetState[];
  readonly sources: WatchedSources;
  /** Alerts that could not be sent, each with its channel. */
  readonly alertFailures: readonly string[];
  /** What is to be said of the installation as a whole. */
  readonly installation: readonly Statement[];
  /** A rollout after a reload of ours runs. */
  readonly isRolling: (target: TargetState) => boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Only while true; the type is also the reason. */
const SPECIAL = [
  'CrossNamespaceDenied',
  'Shared',
  'NotebookContended',
  'NotebookUnavailable',
  'Reverted',
  'TooManySources',
  'WaitingForWorkload',
  'RolloutFailed',
  'EvictionBlocked',
  'AlertFailed',
  'WeakDigestKey',
] as const;
/** Of these, those that are something wrong. The first reason of this list names the condition Degraded. */
const DEGRADING = [
  'InvalidSpec',
  'NoTargets',
  'NothingWatched',
  'CrossNamespaceDenied',
  'KindUnavailable',
  'TargetNotFound',
  'ResourceNotFound',
  'ResourceUnreadable',
  'ReloadFailed',
  'RolloutFailed',
  'NotebookContended',
  'Reverted',
  'TooManySources',
];
const MOST_NAMED = 20;

export function conditionsOf(before: readonly Condition[] | undefined, input: ConditionInput): Condition[] {
  const { config, now } = input;
  const asleep = whyAsleep(input);
  const statements = asleep ? [] : statementsOf(input);
  const updates: ConditionUpdate[] = [
    available(input, asleep),
    asleep ? { type: 'Progressing', status: 'False', ...asleep } : progressing(input),
    asleep ? { type: 'Degraded', status: 'False', ...asleep } : degraded(statements),
  ];
  let conditions = removeCondition(before, ...SPECIAL);
  for (const type of SPECIAL) {
    const message = told(statements.filter(({ reason }) => reason === type));
    // From the old list, so that its transition time stays.
    if (message !== '') {
      const old = before?.find((condition) => condition.type === type);
      if (old) conditions = [...conditions, old];
      updates.push({ type, status: 'True', reason: type, message });
    }
  }
  for (const update of updates) {
    conditions = setCondition(conditions, { ...update, observedGeneration: config.generation }, now);
  }
  return conditions;
}

function whyAsleep({ config }: ConditionInput): Statement | undefined {
  if (!config.ignored) return undefined;
  const message = 'The annotation reloader.stakater.com/ignore switches this object off: remove it to go on';
  return { reason: 'Ignored', message };
}

function available({ targets, sources }: ConditionInput, asleep: Statement | undefined): ConditionUpdate {
  if (asleep) return { type: 'Available', status: 'False', ...asleep };
  const found = targets.filter(({ facts }) => facts).length;
  const message = `Watching ${count(Object.keys(sources.hashes).length, 'object')} for ${found} of ${count(targets.length, 'target')}`;
  return { type: 'Available', status: 'True', reason: 'Reconciled', message };
}

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;

function progressing({ targets, isRolling }: ConditionInput): ConditionUpdate {
  const blocked = targets.flatMap(({ target, view }) =>
    view?.eviction?.blocked ? [`${nameOf(target)}: ${blockedText(view.eviction.blocked)}`] : [],
  );
  if (blocked.length > 0) {
    return { type: 'Progressing', status: 'True', reason: 'EvictionBlocked', message: named(blocked) };
  }
  const rolling = targets.filter((state) => state.view?.eviction !== undefined || isRolling(state));
  if (rolling.length > 0) {
    const message = named(rolling.map(({ target, view }) => `${nameOf(target)}: ${underWay(view)}`));
    return { type: 'Progressing', status: 'True', reason: 'RollingOut', message };
  }
  const held = targets.flatMap(({ target, view }) => {
    const { deferred } = view ?? {};
    if (!deferred || deferred.why === 'settling' || deferred.why === 'observing') return [];
    return [`${nameOf(target)} (${deferred.why}): ${deferred.message}`];
  });
  if (held.length > 0) {
    return { type: 'Progressing', status: 'True', reason: 'Deferred', message: named(held) };
  }
  return { type: 'Progressing', status: 'False', reason: 'Reconciled', message: 'Nothing is under way' };
}

function underWay(view: TargetState['view']): string {
  return view?.eviction ? 'its pods are evicted one by one' : (view?.rollout.message ?? '');
}

function degraded(statements: readonly Statement[]): ConditionUpdate {
  const wrong = statements
    .filter(({ reason }) => DEGRADING.includes(reason))
    .sort((a, b) => DEGRADING.indexOf(a.reason) - DEGRADING.indexOf(b.reason));
  const [first] = wrong;
  if (!first) {
    return { type: 'Degraded', status: 'False', reason: 'Reconciled', message: 'Everything was found' };
  }
  return { type: 'Degraded', status: 'True', reason: first.reason, message: told(wrong) };
}

/** Everything that there is to say, good and bad. */
function statementsOf(input: ConditionInput): Statement[] {
  const { config, targets, sources, world, settings } = input;
  return [
    ...config.problems.map(({ field, message }) => ({
      reason: 'InvalidSpec',
      message: `${field}: ${message}`,
    })),
    ...emptyParts(config),
    ...targets.flatMap(({ problem }) => problem ?? []),
    ...sources.missing.map((message) => ({ reason: 'ResourceNotFound', message })),
    ...sources.unreadable.map((message) => ({ reason: 'ResourceUnreadable', message })),
    ...deniedNamespaces(config, world, settings),
    ...targets.flatMap((state) => aboutTarget(state, config)),
    ...aboutAlerts(config, world, settings, input.alertFailures),
    ...input.installation,
  ];
}

/** Namespaces that are selected and do not allow it. */
function deniedNamespaces(
  config: ConfigFacts,
  world: ConditionInput['world'],
  settings: ReloaderSettings,
): Statement[] {
  const { namespaceSelector } = config;
  if (!namespaceSelector) return [];
  return [...world.namespaces()].flatMap((namespace) => {
    if (!namespaceSelector.matches(world.namespace(namespace)?.labels)) return [];
    const denied = crossNamespaceDenied(config, namespace, world, settings);
    const field = 'spec.watchedResources.namespaceSelector';
    return denied ? [{ reason: 'CrossNamespaceDenied', message: `${field}: ${denied.message}` }] : [];
  });
}

function emptyParts({
  targets,
  secrets,
  configMaps,
  resourceSelector,
  autoReloadAll,
  problems,
}: ConfigFacts): Statement[] {
  const statements: Statement[] = [];
  const isProblem = (part: string): boolean => problems.some(({ field }) => field.startsWith(part));
  if (targets.length === 0 && !isProblem('spec.targets')) {
    const message = 'spec.targets is empty, so nothing is ever reloaded: name at least one workload';
    statements.push({ reason: 'NoTargets', message });
  }
  const watches = secrets.length + configMaps.length > 0 || resourceSelector !== undefined || autoReloadAll;
  if (!watches && !isProblem('spec.watchedResources')) {
    const message =
      'spec.watchedResources names nothing: add secrets, configMaps or a resourceSelector, or set autoReloadAll';
    statements.push({ reason: 'NothingWatched', message });
  }
  return statements;
}

function aboutTarget({ target, view, configs }: TargetState, config: ConfigFacts): Statement[] {
  const statements: Statement[] = [];
  const add = (reason: string, message: string): void =>
    void statements.push({ reason, message: `${nameOf(target)}: ${message}` });
  if (view?.lastError !== undefined) add('ReloadFailed', view.lastError);
  if (view?.rolloutFailed !== undefined) add('RolloutFailed', view.rolloutFailed);
  for (const { reason, message } of view?.notes ?? []) add(reason, message);
  for (const { reason, field, message } of view?.want.problems ?? []) {
    if (reason === 'CrossNamespaceDenied') add(reason, `${field}: ${message}`);
  }
  const others = configs.filter(({ metadata }) => metadata.uid !== config.metadata.uid);
  const [oldest] = configs;
  if (others.length > 0 && oldest) {
    add(
      'Shared',
      `also a target of ${named(others.map(keyOf))}: it reloads for what any of them watches, with the longest pause and the strategy of the oldest, ${keyOf(oldest)}`,
    );
  }
  return statements;
}

const keyOf = ({ metadata }: ConfigFacts): string => `${metadata.namespace}/${metadata.name}`;

function told(statements: readonly Statement[]): string {
  return named([...new Set(statements.map(({ message }) => message))]);
}

function named(items: readonly string[]): string {
  const shown = items.slice(0, MOST_NAMED).join('; ');
  return items.length > MOST_NAMED ? `${shown}; and ${items.length - MOST_NAMED} more` : shown;
}
