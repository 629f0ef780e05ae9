/**
 * Projects a ReloaderConfig to its facts, accepting the union of both shapes that its CRD has had. An invalid field
 * becomes a problem with its path; the others still apply.
 */
import type { Stored } from '@reloader/runtime';
import { conditionProblem } from '../conditions/read.ts';
import { lastWrite, ownsField, secondsOf } from '../digest/written-at.ts';
import type { AnnotationNames } from '../model/annotations.ts';
import { parseConcurrency } from '../model/budget.ts';
import type {
  ConfigFacts,
  ConfigProblem,
  ReloadStrategy,
  RolloutStrategy,
  TargetFacts,
} from '../model/config.ts';
import { APPROVALS, TARGET_KINDS } from '../model/config.ts';
import type { ReloaderConfigObject } from '../model/kinds.ts';
import { type Canary, DEFAULT_BAKE_MS, MOST_STEPS, parseWave, WAVE_NEEDED } from '../model/order.ts';
import { LARGEST_RATE, rateOf } from '../model/rate.ts';
import { DEFAULT_VERIFY, MOST_RESTARTS, ON_FAILURE, type Verify } from '../model/verify.ts';
import { readWindows } from '../windows/read.ts';
import { alertChannelsOf } from './alert-channels.ts';
import { Fields } from './config-fields.ts';
import { contentRulesOf } from './content-rules.ts';

const ROLLOUT: readonly RolloutStrategy[] = ['rollout', 'restart'];
/** The first shape had the rollout strategy `restart` among the reload strategies. */
const RELOAD: readonly (ReloadStrategy | 'restart')[] = ['env-vars', 'annotations', 'restart'];

/**
 * How many different conditions are compiled at most, to find mistakes. Compiling one takes a millisecond or two, and
 * meanwhile nothing is reloaded: a cache checks few, and the others are checked when their target is looked at.
 */
export const MOST_CONDITIONS = { cached: 4, admitted: 20 } as const;

export function configFacts(
  object: Stored<ReloaderConfigObject>,
  names: AnnotationNames,
  mostConditions: number = MOST_CONDITIONS.cached,
): ConfigFacts {
  const {
    name,
    namespace = '',
    uid,
    resourceVersion,
    annotations,
    generation,
    creationTimestamp,
  } = object.metadata;
  const problems: ConfigProblem[] = [];
  const written = lastWrite(object.metadata, (fields) => ownsField(fields, 'f:spec'));
  const spec = Fields.of('spec', object.spec, problems);
  const watched = spec.object('watchedResources');
  const check = new ConditionCheck(mostConditions);
  return {
    metadata: { name, namespace, uid, resourceVersion },
    generation: generation ?? 0,
    createdAt: secondsOf(creationTimestamp),
    specWrittenAt: written.at,
    writtenBy: written.by,
    ignored: annotations?.[names.ignore] === 'true',
    secrets: watched.names('secrets'),
    configMaps: watched.names('configMaps'),
    namespaceSelector: watched.selector('namespaceSelector'),
    resourceSelector: watched.selector('resourceSelector'),
    matchLabels: spec.labels('matchLabels'),
    enableTargetedReload: watched.flag('enableTargetedReload') ?? false,
    autoReloadAll: spec.flag('autoReloadAll') ?? false,
    ignoreResources: ignoredOf(spec),
    reloadOnCreate: spec.flag('reloadOnCreate'),
    reloadOnDelete: spec.flag('reloadOnDelete'),
    rolloutStrategy: undefined,
    reloadStrategy: undefined,
    ...strategiesOf(spec),
    pausePeriodMs: spec.duration('pausePeriod'),
    settleMs: spec.duration('settle'),
    batchWindowMs: spec.duration('batchWindow'),
    windows: windowsOf(spec),
    maxWaitMs: spec.duration('maxWait'),
    approval: spec.choice('approval', APPROVALS),
    rateLimit: rateLimitOf(spec),
    verify: verifyOf(spec),
    onFailure: spec.choice('onFailure', ON_FAILURE),
    condition: conditionOf(spec, check),
    canary: canaryOf(spec),
    maxConcurrent: maxConcurrentOf(spec),
    validate: contentRulesOf(spec, `${namespace}/${name}`),
    targets: spec.objects('targets').flatMap((target) => targetOf(target, namespace, check)),
    alerts: alertChannelsOf(spec, namespace),
    problems,
    status: statusOf(object.status),
  };
}

/** An invalid value is a problem that holds reloads of the targets. */
function windowsOf(spec: Fields): ConfigFacts['windows'] {
  const value = spec.any('windows');
  if (value === undefined) return [];
  const { windows, problems } = readWindows(value);
  for (const { path, message } of problems) spec.problem(`windows${path}`, message);
  return windows;
}

function rateLimitOf(spec: Fields): ConfigFacts['rateLimit'] {
  if (!spec.has('rateLimit')) return undefined;
  const given = spec.object('rateLimit');
  const rate = rateOf(Number(given.any('perHour')), Number(given.any('burst') ?? 1));
  if (!rate) {
    spec.problem('rateLimit', `needs perHour and burst, whole numbers from 1 to ${LARGEST_RATE}`);
  }
  return rate;
}

class ConditionCheck {
  readonly #most: number;
  readonly #checked = new Set<string>();

  constructor(most: number) {
    this.#most = most;
  }

  problemOf(text: string): string | undefined {
    if (this.#checked.size >= this.#most && !this.#checked.has(text)) return undefined;
    this.#checked.add(text);
    return conditionProblem(text);
  }
}

/** An invalid value is a problem that holds reloads of the targets. */
function conditionOf(fields: Fields, check: ConditionCheck): string | undefined {
  const text = fields.text('condition');
  if (text === undefined || text === '') return undefined;
  const wrong = check.problemOf(text);
  if (wrong !== undefined) fields.problem('condition', wrong);
  return text;
}

/** An invalid value counts as wave 0 and holds reloads of the target. */
function waveOf(target: Fields): number | undefined {
  if (!target.has('wave')) return undefined;
  const wave = parseWave(target.any('wave'));
  if (wave === undefined) target.problem('wave', WAVE_NEEDED);
  return wave ?? 0;
}

/** An invalid value is a problem that holds reloads of the targets. */
function canaryOf(spec: Fields): Canary | undefined {
  if (!spec.has('canary')) return undefined;
  const given = spec.object('canary');
  const list = given.any('steps');
  const steps = (Array.isArray(list) ? list : []).map(parseConcurrency).filter((step) => step !== undefined);
  const isWhole = Array.isArray(list) && steps.length === list.length;
  if (!isWhole || steps.length === 0 || steps.length > MOST_STEPS) {
    given.problem(
      'steps',
      `must be a list of 1 to ${MOST_STEPS} steps, each a whole number from 1 or a percentage such as "10%"`,
    );
  }
  if (!spec.has('verify')) spec.problem('canary', 'needs verify: without it nobody knows how a step ends');
  return { steps, bakeMs: given.duration('bake') ?? DEFAULT_BAKE_MS };
}

/** An invalid value is a problem, and its default applies: the user wanted verification. */
function verifyOf(fields: Fields): Verify | undefined {
  if (!fields.has('verify')) return undefined;
  const given = fields.object('verify');
  const restarts = given.any('maxRestarts') ?? DEFAULT_VERIFY.maxRestarts;
  const isCount = Number.isInteger(restarts) && Number(restarts) >= 0 && Number(restarts) <= MOST_RESTARTS;
  if (!isCount) given.problem('maxRestarts', `must be a whole number from 0 to ${MOST_RESTARTS}`);
  return {
    timeoutMs: given.duration('timeout') ?? DEFAULT_VERIFY.timeoutMs,
    stableForMs: given.duration('stableFor') ?? DEFAULT_VERIFY.stableForMs,
    maxRestarts: isCount ? Number(restarts) : DEFAULT_VERIFY.maxRestarts,
  };
}

/** An invalid value is a problem that holds reloads of the targets. */
function maxConcurrentOf(spec: Fields): ConfigFacts['maxConcurrent'] {
  if (!spec.has('maxConcurrent')) return undefined;
  const read = parseConcurrency(spec.any('maxConcurrent'));
  if (!read) spec.problem('maxConcurrent', 'must be a whole number from 1, or a percentage such as "25%"');
  return read;
}

function targetOf(target: Fields, ownNamespace: string, check: ConditionCheck): TargetFacts[] {
  const kind = target.choice('kind', TARGET_KINDS);
  if (kind === undefined && !target.has('kind')) target.problem('kind', 'is required');
  const name = target.name('name');
  const strategies = strategiesOf(target);
  const optional = withoutUndefined({
    pausePeriodMs: target.duration('pausePeriod'),
    settleMs: target.duration('settle'),
    batchWindowMs: target.duration('batchWindow'),
    approval: target.choice('approval', APPROVALS),
    verify: verifyOf(target),
    onFailure: target.choice('onFailure', ON_FAILURE),
    condition: conditionOf(target, check),
    wave: waveOf(target),
  });
  const namespace = target.text('namespace') || ownNamespace;
  const requireReference = target.flag('requireReference') ?? false;
  if (kind === undefined || name === undefined) return [];
  return [{ kind, namespace, name, ...strategies, ...optional, requireReference }];
}

function strategiesOf(fields: Fields): {
  rolloutStrategy?: RolloutStrategy;
  reloadStrategy?: ReloadStrategy;
} {
  const reload = fields.choice('reloadStrategy', RELOAD);
  const rollout = reload === 'restart' ? 'restart' : fields.choice('rolloutStrategy', ROLLOUT);
  return {
    ...(rollout && { rolloutStrategy: rollout }),
    ...(reload && reload !== 'restart' && { reloadStrategy: reload }),
  };
}

function ignoredOf(spec: Fields): ConfigFacts['ignoreResources'] {
  return spec.objects('ignoreResources').flatMap((ignored) => {
    const kind = ignored.choice('kind', ['Secret', 'ConfigMap'] as const);
    if (kind === undefined && !ignored.has('kind')) ignored.problem('kind', 'is required');
    const name = ignored.name('name');
    const namespace = ignored.text('namespace');
    if (kind === undefined || name === undefined) return [];
    return [{ kind, name, ...(namespace && { namespace }) }];
  });
}

function statusOf(status: unknown): ConfigFacts['status'] {
  const isMap = typeof status === 'object' && status !== null && !Array.isArray(status);
  return isMap ? (status as Readonly<Record<string, unknown>>) : {};
}

type Defined<M> = { [K in keyof M]?: Exclude<M[K], undefined> };

function withoutUndefined<M extends object>(map: M): Defined<M> {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined)) as Defined<M>;
}
