/**
 * Computes the status of one ReloaderConfig. Pure.
 *
 * In: the config, its current status, the world, the reloads of this process. Out: the whole new status, and when it
 * has to be computed again. No decision depends on it.
 */
import { timestamp } from '@reloader/runtime';
import type { ReloaderConfigStatus, ReloaderConfigTargetStatus } from '../../../crds/reloader-config.ts';
import type { ConfigFacts } from '../../model/config.ts';
import { formatCounted, parseCounted, type Reload } from '../../model/counted.ts';
import { policyFor } from '../../model/policy.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import type { Policy, Want } from '../../model/want.ts';
import type { World } from '../../model/world.ts';
import { rolloutOf } from '../../verify/rollout.ts';
import { conditionsOf } from './conditions.ts';
import { countedWith, isAskedBy, uncounted } from './count.ts';
import { watchedSources } from './sources.ts';
import type { Statement } from './statement.ts';
import type { MadeReload } from './tally.ts';
import { type TargetState, type TargetView, targetStates } from './targets.ts';

export interface StatusInput {
  readonly config: ConfigFacts;
  /** The status on the API server, as far as we know. */
  readonly before: ReloaderConfigStatus;
  readonly world: World;
  readonly view: TargetView | undefined;
  readonly settings: ReloaderSettings;
  /** Reloads of this process that no status has counted. */
  readonly made: readonly MadeReload[];
  readonly isRolling: (target: TargetState) => boolean;
  /** Alerts that could not be sent, each with its channel. */
  readonly alertFailures: readonly string[];
  /** Statements about the installation as a whole. */
  readonly installation?: readonly Statement[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface ComputedStatus {
  readonly status: ReloaderConfigStatus;
  /** When something in it expires, in milliseconds since the epoch. */
  readonly lookAgainAt: number | undefined;
}

/** Limit of kept counts of former targets, which may become targets again. */
const MOST_FORMER = 50;
/** A rollout within this time after our reload counts as ours, also in a process that did not make the reload. */
const OURS_FOR_S = 600;

export function computeStatus(input: StatusInput): ComputedStatus {
  const { config, before, world, view, settings, now } = input;
  const asleep = config.ignored || !world.inScope(config.metadata.namespace);
  const targets = asleep ? [] : targetStates(config, world, view, settings);
  const views = targets.flatMap((state) => state.view ?? []);
  const sources = watchedSources(config, world, settings, views, before.watchedResourceHashes ?? {});
  const counts = countReloads(input, targets);
  const targetStatus = targets.map((state) => statusOf(state, input, counts.byKey));
  const found = targets.filter(({ facts }) => facts).length;
  const lastReload = latest(before.lastReloadTime, counts.lastAt);
  const status: ReloaderConfigStatus = {
    conditions: conditionsOf(before.conditions, {
      config,
      world,
      settings,
      targets,
      sources,
      alertFailures: input.alertFailures,
      installation: input.installation ?? [],
      isRolling: (state) => isRolling(state, input),
      now,
    }),
    observedGeneration: config.generation,
    ...(!asleep && { watchedResourceHashes: { ...sources.hashes } }),
    reloadCount: (before.reloadCount ?? 0) + counts.total,
    ...(lastReload !== undefined && { lastReloadTime: lastReload }),
    strategy: strategiesOf(targets, input),
    targetsFound: `${found}/${targets.length}`,
    pending: pendingOf(targetStatus),
    targetStatus,
    ...(Object.keys(counts.counted).length > 0 && { countedReloads: counts.counted }),
  };
  return { status, lookAgainAt: soonest(targetStatus, now) };
}

/** The effective strategies of the targets: from the target, the spec, annotations or a flag. */
function strategiesOf(targets: readonly TargetState[], { config, settings }: StatusInput): string {
  const used = targets.map(({ target, view }) => {
    const counts = view && policyOfConfig(view.want, config);
    const own = view?.want.policies.own ?? settings;
    const rollout = target.rolloutStrategy ?? config.rolloutStrategy ?? own.rolloutStrategy;
    const reload = target.reloadStrategy ?? config.reloadStrategy ?? own.reloadStrategy;
    return strategyText(counts ?? { rolloutStrategy: rollout, reloadStrategy: reload });
  });
  if (used.length === 0) used.push(strategyText({ ...settings, ...defined(config) }));
  return [...new Set(used)].sort().join(',');
}

type Strategies = Pick<Policy, 'rolloutStrategy' | 'reloadStrategy'>;

function strategyText({ rolloutStrategy, reloadStrategy }: Strategies): string {
  return rolloutStrategy === 'restart' ? 'restart' : reloadStrategy;
}

function defined({ rolloutStrategy, reloadStrategy }: ConfigFacts): Partial<Strategies> {
  return { ...(rolloutStrategy && { rolloutStrategy }), ...(reloadStrategy && { reloadStrategy }) };
}

/** `2 (frozen, paused)` */
function pendingOf(targets: readonly ReloaderConfigTargetStatus[]): string {
  const reasons = targets.flatMap(({ deferredReason }) => deferredReason ?? []);
  return reasons.length === 0 ? '0' : `${reasons.length} (${[...new Set(reasons)].sort().join(', ')})`;
}

interface Counts {
  readonly total: number;
  readonly lastAt: number | undefined;
  readonly byKey: ReadonlyMap<string, readonly Reload[]>;
  readonly counted: Record<string, string>;
}

function countReloads({ config, before, made }: StatusInput, targets: readonly TargetState[]): Counts {
  const reloads = new Map<string, { key: string; list: Reload[] }>();
  const add = (uid: string, key: string, ...more: readonly Reload[]): void => {
    const known = reloads.get(uid) ?? { key, list: [] };
    known.list.push(...more);
    reloads.set(uid, known);
  };
  for (const { facts, key, ledger } of targets) {
    const asked = ledger?.recent.filter((recent) => isAskedBy(recent, config)) ?? [];
    if (facts) add(facts.metadata.uid, key, ...asked.map(({ seq, at }) => ({ seq, at })));
  }
  for (const each of made) {
    if (isAskedBy(each, config)) add(each.uid, each.workload, { seq: each.seq, at: each.at });
  }
  const countedBefore = new Map(Object.entries(before.countedReloads ?? {}));
  const counted = new Map<string, string>();
  const byKey = new Map<string, readonly Reload[]>();
  for (const [uid, { key, list }] of reloads) {
    const last = parseCounted(countedBefore.get(uid));
    const fresh = uncounted(list, last, countedBefore.size > 0 ? 0 : firstUncountedSecond(before, key));
    byKey.set(key, [...(byKey.get(key) ?? []), ...fresh]);
    const highest = countedWith(last, fresh);
    if (highest) counted.set(uid, formatCounted(highest));
  }
  const former = [...countedBefore].filter(([uid]) => !reloads.has(uid)).slice(-MOST_FORMER);
  const fresh = [...byKey.values()].flat();
  return {
    total: fresh.length,
    lastAt: fresh.length > 0 ? Math.max(...fresh.map(({ at }) => at)) : undefined,
    byKey,
    counted: Object.fromEntries([...former, ...counted].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Fallback if the last counts are lost, as with the CRD of the earlier operator: the time of the last reload. */
function firstUncountedSecond({ targetStatus = [] }: ReloaderConfigStatus, key: string): number {
  const known = targetStatus.find((entry) => `${entry.kind}/${entry.namespace}/${entry.name}` === key);
  const last = Date.parse(known?.lastReloadTime ?? '');
  return Number.isNaN(last) ? 0 : last / 1000 + 1;
}

function statusOf(
  { target, key, view, ledger }: TargetState,
  { before, config, now }: StatusInput,
  fresh: ReadonlyMap<string, readonly Reload[]>,
): ReloaderConfigTargetStatus {
  const { kind, name, namespace } = target;
  const old = before.targetStatus?.find(
    (entry) => entry.kind === kind && entry.name === name && entry.namespace === namespace,
  );
  const reloads = fresh.get(key) ?? [];
  const lastReload = latest(old?.lastReloadTime, reloads.at(-1)?.at);
  const pauseMs = view ? (policyOfConfig(view.want, config) ?? policyFor(view.want, [])).pauseMs : 0;
  const pausedUntil = (ledger?.reloadedAt ?? 0) * 1000 + pauseMs;
  const isPaused = ledger?.reloadedAt !== undefined && pausedUntil > now && pauseMs > 0;
  const deferred = view?.deferred?.why === 'settling' ? undefined : view?.deferred;
  return {
    kind,
    name,
    namespace,
    reloadCount: (old?.reloadCount ?? 0) + reloads.length,
    ...(lastReload !== undefined && { lastReloadTime: lastReload }),
    ...(isPaused && { pausedUntil: timestamp(pausedUntil) }),
    ...(deferred && {
      deferredReason: deferred.why,
      pendingSince: timestamp(deferred.since),
      change: deferred.change,
    }),
    ...(deferred?.until !== undefined && { deferredUntil: timestamp(deferred.until) }),
    ...(view?.lastError !== undefined && { lastError: view.lastError }),
  };
}

/** The policy for the sources that this config watches; undefined if it watches none. */
function policyOfConfig(want: Want, { metadata }: ConfigFacts): Policy | undefined {
  const name = `${metadata.namespace}/${metadata.name}`;
  const watched = want.sources.filter(({ configs }) => configs.includes(name)).map(({ key }) => key);
  return watched.length > 0 ? policyFor(want, watched) : undefined;
}

function isRolling(state: TargetState, { isRolling: made, now }: StatusInput): boolean {
  const { facts, ledger } = state;
  const rollout = state.view?.rollout ?? (facts && rolloutOf(facts));
  if (rollout?.state !== 'progressing') return false;
  return made(state) || (ledger?.reloadedAt !== undefined && now / 1000 - ledger.reloadedAt < OURS_FOR_S);
}

function latest(before: string | undefined, at: number | undefined): string | undefined {
  if (at === undefined) return before;
  const time = timestamp(at * 1000);
  return before !== undefined && before > time ? before : time;
}

function soonest(targets: readonly ReloaderConfigTargetStatus[], now: number): number | undefined {
  const times = targets
    .flatMap(({ pausedUntil, deferredUntil }) => [pausedUntil, deferredUntil])
    .map((time) => Date.parse(time ?? ''))
    .filter((time) => time > now);
  return times.length > 0 ? Math.min(...times) : undefined;
}
