/**
 * What the operator can tell about itself and about single workloads, for `/api/v1`, the command and the dashboard.
 *
 * In: an observer, and what only the running process has. Out: answers, computed when somebody asks; nothing is kept.
 */

import type { SourceRef } from '../reloader/model/source.ts';
import { refOf, type WorkloadRef, workloadKey } from '../reloader/model/workload.ts';
import type { WorkloadHistory } from '../reloader/report/history.ts';
import type { EngineView, WorkloadView } from '../reloader/report/reporter.ts';
import type { Later } from '../reloader/schedule/types.ts';
import { isFrozenAt } from '../reloader/want/freeze.ts';
import { explain } from './explain.ts';
import { frozenParts } from './frozen.ts';
import type { Observer } from './observer.ts';
import type { Explanation, HistoryLine, StatusAnswer, WhatIf, WorkloadLine } from './shapes.ts';
import { timeOf, waitOf } from './times.ts';
import { type WhatIfOptions, whatIf } from './what-if.ts';

export interface Insight {
  status(): StatusAnswer;
  /** Those that ask for something or have a problem, sorted; of one namespace or all. */
  workloads(namespace?: string): readonly WorkloadLine[];
  explain(ref: WorkloadRef, signal: AbortSignal): Promise<Explanation | undefined>;
  whatIf(ref: SourceRef, options: WhatIfOptions, signal: AbortSignal): Promise<WhatIf>;
  /** The newest first. */
  history(namespace?: string): readonly HistoryLine[];
}

export interface InsightOptions {
  readonly observer: Observer;
  readonly view: EngineView;
  readonly histories: () => Iterable<readonly [WorkloadRef, WorkloadHistory]>;
  readonly held: () => readonly { readonly ref: WorkloadRef; readonly later: Later }[];
  readonly leads: () => boolean;
  readonly inventory: () => Pick<StatusAnswer, 'sources' | 'workloads'>;
  readonly version: string;
  /** Seconds since the epoch. */
  readonly installedAt: number;
}

export function createInsight(options: InsightOptions): Insight {
  const { observer, view } = options;
  const views = (namespace?: string): WorkloadView[] =>
    [...observer.workloads(namespace)]
      .map((facts) => view.workload(refOf(facts)))
      .filter((each) => each !== undefined)
      .filter((each) => asks(each) || each.want.problems.length > 0);
  return {
    status: () => statusOf(options, views()),
    workloads: (namespace) =>
      views(namespace)
        .map((view) => lineOf(view, options.observer.now()))
        .sort(byName),
    explain: (ref, signal) => explain(ref, observer, signal),
    whatIf: (ref, how, signal) => whatIf(ref, how, observer, signal),
    history: (namespace) => linesOf(options.histories(), namespace),
  };
}

/** For reloads, now or before. One that wanted to and made a mistake does not, and is listed all the same. */
function asks({ want, verdict }: WorkloadView): boolean {
  return want.sources.length > 0 || (verdict?.recorded?.seq ?? 0) > 0;
}

function statusOf(options: InsightOptions, views: readonly WorkloadView[]): StatusAnswer {
  const { settings } = options.observer;
  return {
    version: options.version,
    mode: settings.mode,
    leading: options.leads(),
    installedAt: timeOf(options.installedAt * 1000),
    namespaces: settings.namespaces,
    ...options.inventory(),
    watched: views.filter(asks).length,
    frozen: frozenParts(options.observer.world, settings, views, options.observer.now()),
    pending: options.held().map(({ ref, later }) => ({ workload: ref, wait: waitOf(later) })),
    failing: views.flatMap(failuresOf),
    troubled: views.flatMap(({ ref, want }) => want.problems.map((problem) => ({ workload: ref, problem }))),
  };
}

function failuresOf({ ref, lastError, rolloutFailed }: WorkloadView): StatusAnswer['failing'] {
  const failed = rolloutFailed === undefined ? [] : [`the rollout failed: ${rolloutFailed}`];
  return [...(lastError ? [lastError] : []), ...failed].map((error) => ({ workload: ref, error }));
}

function lineOf(
  { ref, want, verdict, deferred, lastError, rolloutFailed }: WorkloadView,
  now: number,
): WorkloadLine {
  const recorded = verdict?.recorded;
  const frozen = want.policy.freezes.find((freeze) => isFrozenAt(freeze, now));
  return {
    workload: ref,
    sources: want.sources.map((source) => source.ref),
    reloads: recorded?.seq ?? 0,
    ...(recorded?.reloadedAt !== undefined && { lastReload: timeOf(recorded.reloadedAt * 1000) }),
    ...(deferred && { pending: waitOf(deferred) }),
    ...(lastError !== undefined && { lastError }),
    ...(rolloutFailed !== undefined && { rolloutFailed }),
    ...(frozen && { frozen: frozen.place }),
    problems: want.problems.length,
  };
}

function byName(a: WorkloadLine, b: WorkloadLine): number {
  const [one, other] = [a, b].map(
    ({ workload: { namespace, kind, name } }) => `${namespace}/${kind}/${name}`,
  );
  return (one ?? '') < (other ?? '') ? -1 : 1;
}

export function linesOf(
  histories: Iterable<readonly [WorkloadRef, WorkloadHistory]>,
  namespace: string | undefined,
): HistoryLine[] {
  const lines: HistoryLine[] = [];
  for (const [workload, { reloads }] of histories) {
    if (namespace !== undefined && workload.namespace !== namespace) continue;
    for (const entry of reloads) lines.push({ workload, ...entry });
  }
  return lines.sort(
    (a, b) => b.at - a.at || b.seq - a.seq || (workloadKey(a.workload) < workloadKey(b.workload) ? -1 : 1),
  );
}
