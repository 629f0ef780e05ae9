/**
 * The course of many reloads for one source: when each would begin, and an estimate of when the last would be complete.
 *
 * In: the outlook of each workload now, from the engine's own functions. Out: times. A workload that waits for a
 * person, or for another workload that does, has none.
 */

import type { Budget } from '../reloader/model/budget.ts';
import { limitOf } from '../reloader/model/budget.ts';
import type { ConfigFacts } from '../reloader/model/config.ts';
import type { SourceRef } from '../reloader/model/source.ts';
import { sourceKey } from '../reloader/model/source.ts';
import { parseWorkloadKey, refOf, workloadKey } from '../reloader/model/workload.ts';
import { goesFirst, waveOf } from '../reloader/plan/peers/place.ts';
import { isAside } from '../reloader/plan/peers/standing.ts';
import { membersOf } from '../reloader/want/budgets.ts';
import { configName } from '../reloader/want/config-match.ts';
import { lastMetadataOf } from '../reloader/want/want-subject.ts';
import { closedBy, onlyDenying } from '../reloader/windows/opening.ts';
import type { ClusterView } from './cluster-view.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { beginnings, type Expected, usualRolloutMs, type Windows } from './estimate.ts';
import type { Estimate } from './shapes.ts';
import { durationText, timeOf } from './times.ts';
import type { CanaryPlace } from './turns.ts';
import { sourceName } from './words.ts';

export type Reload = Extract<DryRun, { action: 'reload' }>;

export interface Course {
  /** Milliseconds since the epoch, by the keys of the workloads. */
  readonly begins: ReadonlyMap<string, number>;
  readonly estimate: Estimate | undefined;
}

/** Assumed if there is no history: the duration is then unknown, but the order is the same. */
const SOME_ROLLOUT_MS = 60_000;

export function isCausedBy(result: DryRun, ref: SourceRef): result is Reload {
  if (result.action !== 'reload') return false;
  const causes = result.verdict?.reload?.causes ?? [];
  return causes.some((cause) => sourceKey(cause.ref) === sourceKey(ref));
}

/** Above this only `what-if` estimates: explanations are requested often. */
const MOST_LOOKED_AT = 100;

/** Estimates for all workloads that wait with the same change as this one. */
export async function pendingEstimate(
  own: Reload,
  clusterView: ClusterView,
  signal: AbortSignal,
): Promise<Estimate | undefined> {
  const source = own.verdict?.reload?.causes[0]?.ref;
  if (!source) return undefined;
  const concerned = clusterView.affected(
    source,
    lastMetadataOf(clusterView.world.source(source))?.labels ?? {},
  );
  if (concerned.length > MOST_LOOKED_AT) return undefined;
  const reloads: Reload[] = [];
  for (const ref of concerned) {
    const workload = clusterView.world.workload(ref);
    const judged = workload && (await dryRun(workload, { clusterView, signal }));
    if (judged && isCausedBy(judged, source)) reloads.push(judged);
  }
  const count = reloads.length === 1 ? 'the one workload' : `all ${reloads.length} workloads`;
  return courseOf(reloads, source, clusterView, ` for ${count} with a change of ${sourceName(source)}`)
    .estimate;
}

/** `of`: names the workloads in the message. */
export function courseOf(
  reloads: readonly Reload[],
  source: SourceRef,
  clusterView: ClusterView,
  of = '',
): Course {
  const { world, settings } = clusterView;
  const usual = usualRolloutMs(reloads.map(({ workload }) => clusterView.history(refOf(workload))));
  const counted = reloads.filter(({ waits }) => !waits.some(({ why }) => isAside(why)));
  const reached = new Set(counted.map(({ workload }) => workloadKey(refOf(workload))));
  const members = new Map<string, readonly string[]>();
  const expected = counted.map((reload): Expected => {
    const { workload } = reload;
    const own = usualRolloutMs([clusterView.history(refOf(workload))]);
    const canary = canaryOf(reload, source, { reached, members }, clusterView);
    return {
      key: workloadKey(refOf(workload)),
      at: earliest(reload, clusterView.now()),
      budgets: budgetsOf(reload),
      rolloutMs: own ?? usual ?? SOME_ROLLOUT_MS,
      wave: { wave: waveOf(workload, source, world, settings), groups: groupsOf(reload, source) },
      ...(canary && { canary }),
      ...windowsOf(reload, clusterView.now()),
    };
  });
  const { running } = clusterView.slots();
  const ends = clusterView.now() + (usual ?? SOME_ROLLOUT_MS);
  const begins = beginnings(expected, new Map(running.map((key) => [key, ends])));
  if (usual === undefined || begins.size === 0) return { begins, estimate: undefined };
  const last = Math.max(...expected.map(({ key, rolloutMs }) => (begins.get(key) ?? 0) + rolloutMs));
  const held = reloads.length - begins.size;
  const besides = held > 0 ? `, without the ${held} that nobody can foretell` : '';
  const message = `Estimate${of}: the last rollout ends at about ${toSecond(last)}${besides}; past rollouts took ${durationText(1000 * Math.ceil(usual / 1000))}`;
  return { begins, estimate: { ends: timeOf(last), message } };
}

export function budgetsOf({ verdict, want }: Reload): readonly Budget[] {
  return (verdict?.reload?.policy ?? want.policy).budgets;
}

/** The time from which on only slots, order and recurring windows hold the reload back. */
function earliest({ at, waits }: Reload, now: number): number {
  if (at !== undefined) return at;
  const times = waits
    .filter(({ why, until }) => until !== undefined || !['capped', 'wave', 'canary'].includes(why))
    .map(({ until, orLater }) => (orLater ? undefined : until) ?? Number.POSITIVE_INFINITY);
  return Math.max(now, ...times);
}

function groupsOf({ workload, want }: Reload, source: SourceRef): readonly string[] {
  return [workload.metadata.namespace, ...configsFor(want, source).map((config) => `/${configName(config)}`)];
}

/** ReloaderConfigs that ask for this source. */
function configsFor({ sources, configs }: Reload['want'], source: SourceRef): readonly ConfigFacts[] {
  const wanted = sources.find(({ ref }) => sourceKey(ref) === sourceKey(source));
  return configs.filter((config) => wanted?.configs.includes(configName(config)));
}

function canaryOf(
  { workload, want }: Reload,
  source: SourceRef,
  { reached, members: known }: { reached: ReadonlySet<string>; members: Map<string, readonly string[]> },
  { world, settings }: ClusterView,
): CanaryPlace | undefined {
  const config = configsFor(want, source).find(({ canary }) => canary);
  if (!config?.canary) return undefined;
  const wave = waveOf(workload, source, world, settings);
  const canary = `${configName(config)} ${wave}`;
  const isMember = (key: string): boolean => {
    const facts = world.workload(parseWorkloadKey(key));
    return facts !== undefined && waveOf(facts, source, world, settings) === wave;
  };
  const members = known.get(canary) ?? [...membersOf(config)].filter(isMember);
  known.set(canary, members);
  const { steps, bakeMs } = config.canary;
  const { name } = workload.metadata;
  return {
    name: canary,
    sizes: steps.map((step) => Math.min(limitOf(step, members.length), members.length)),
    bakeMs,
    done: members.filter((key) => !reached.has(key)).length,
    rank: `${goesFirst(workload) ? 0 : 1} ${name} ${workloadKey(refOf(workload))}`,
  };
}

function windowsOf({ verdict, want, waits }: Reload, now: number): { readonly windows?: Windows } {
  const { windows, maxWaitMs } = verdict?.reload?.policy ?? want.policy;
  if (windows.length === 0) return {};
  const deadline = (waits[0]?.since ?? now) + (maxWaitMs ?? Number.POSITIVE_INFINITY);
  const denying = onlyDenying(windows);
  const never = Number.POSITIVE_INFINITY;
  const opens = (sets: typeof windows, moment: number): number | undefined => {
    const closed = closedBy(sets, moment);
    return closed ? closed.opensAt : moment;
  };
  return {
    windows: {
      name: JSON.stringify([windows.map((set) => set.windows), deadline]),
      openFrom: (moment) => {
        const late = deadline < never ? opens(denying, Math.max(moment, deadline)) : undefined;
        const open = moment < deadline ? opens(windows, moment) : late;
        return Math.min(open ?? never, late ?? never);
      },
    },
  };
}

/** Rounded up: an estimate is not precise to the millisecond. */
function toSecond(ms: number): string {
  return timeOf(1000 * Math.ceil(ms / 1000)).replace('.000', '');
}
