/**
 * Answers about the operator itself and about single workloads, for `/api/v1`, the command and the dashboard.
 *
 * In: a ClusterView, and the data that only the running process has. Out: answers. Lists come from lines that are kept
 * while readers ask; everything else is computed on request.
 */

import { isSameSource, type SourceRef, sourceKey } from '../reloader/model/source.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { WorkloadHistory } from '../reloader/report/history.ts';
import type { ClusterView } from './cluster-view.ts';
import { explain } from './explain.ts';
import { freezeAt, frozenParts } from './frozen.ts';
import type { Line, Lines } from './lines.ts';
import { overviewOf } from './overview.ts';
import { linesOf } from './past.ts';
import type {
  Explanation,
  HistoryLine,
  NumberedLine,
  OverviewAnswer,
  SourceAnswer,
  SourceLine,
  StatusAnswer,
  WhatIf,
  WorkloadLine,
} from './shapes.ts';
import { sourceLine, sourceState, type UsedSource, usedSources } from './sources.ts';
import type { Streams } from './streams.ts';
import type { Timeline } from './timeline.ts';
import { timeOf } from './times.ts';
import { type WhatIfOptions, whatIf } from './what-if.ts';

export interface OperatorView {
  /** Brings lines up to date without blocking the event loop. Call it before the methods that return no promise. */
  fresh(): Promise<void>;
  status(): Promise<StatusAnswer>;
  /** Workloads that opt in or have a problem, sorted. */
  lines(): readonly Line[];
  /** The full text of some of them. */
  read(lines: readonly Line[]): Promise<readonly NumberedLine[]>;
  /** Of one namespace, or all. */
  overview(namespace: string | undefined): Promise<OverviewAnswer>;
  /** Every source that a workload is reloaded for, sorted. */
  sources(): Promise<readonly UsedSource[]>;
  sourceLine(source: UsedSource): SourceLine;
  /** The workloads that are reloaded for it. */
  users(ref: SourceRef): readonly Line[];
  source(ref: SourceRef, users: readonly Line[]): Promise<SourceAnswer>;
  explain(ref: WorkloadRef, signal: AbortSignal): Promise<Explanation | undefined>;
  whatIf(ref: SourceRef, options: WhatIfOptions, signal: AbortSignal): Promise<WhatIf>;
  /** The newest first. */
  history(namespace?: string): readonly HistoryLine[];
  histories(): Iterable<readonly [WorkloadRef, WorkloadHistory]>;
  readonly timeline: Timeline;
  readonly streams: Streams;
  /** The position from which a stream continues after an answer. */
  revision(): string;
}

export interface OperatorViewOptions {
  readonly clusterView: ClusterView;
  readonly lines: Lines;
  readonly timeline: Timeline;
  readonly streams: Streams;
  readonly revision: () => string;
  readonly histories: () => Iterable<readonly [WorkloadRef, WorkloadHistory]>;
  readonly leads: () => boolean;
  readonly inventory: () => Pick<StatusAnswer, 'sources' | 'workloads'>;
  readonly version: string;
  /** Seconds since the epoch. */
  readonly installedAt: number;
}

/** Overviews that are cached, one for each namespace. */
const MOST_OVERVIEWS = 10;
/** Of the workloads that are reloaded for one source; lists have all of them. */
const MOST_USERS = 100;

export function createOperatorView(options: OperatorViewOptions): OperatorView {
  const { clusterView, lines, timeline, streams, revision } = options;
  let listed: { readonly version: number; readonly sources: Promise<readonly UsedSource[]> } | undefined;
  const overviews = new Map<
    string | undefined,
    { readonly at: string; readonly answer: Promise<OverviewAnswer> }
  >();
  return {
    timeline,
    streams,
    revision,
    fresh: () => lines.fresh(),
    status: () => statusOf(options),
    lines: () => lines.all(),
    read: (some) => lines.read(some),
    async overview(namespace) {
      await lines.fresh();
      const at = revision();
      const known = overviews.get(namespace);
      // The same answer for all pages that were notified of the same change.
      if (known?.at === at) return known.answer;
      const about = { mode: clusterView.settings.mode, leading: options.leads(), revision: at };
      const answer = overviewOf(lines, namespace, {
        freezeAt: (place) => freezeAt(place, clusterView.world, clusterView.settings, clusterView.now()),
        now: clusterView.now(),
      }).then((rest) => ({ ...about, ...rest }));
      if (overviews.size >= MOST_OVERVIEWS) overviews.clear();
      overviews.set(namespace, { at, answer });
      return answer;
    },
    sources: () => {
      const all = lines.all();
      const version = lines.sourcesVersion;
      if (listed?.version !== version) listed = { version, sources: usedSources(all) };
      return listed.sources;
    },
    sourceLine: (source) => sourceLine(source, clusterView.world),
    users(ref) {
      // Without keys: making ten thousand of them would block the event loop.
      return lines.all().filter(({ sources }) => sources.some((each) => isSameSource(each, ref)));
    },
    source: async (ref, users) => ({
      source: ref,
      ...sourceState(ref, clusterView.world),
      users: users.length,
      usedBy: await lines.read(users.slice(0, MOST_USERS)),
      changes: changesOf(ref, timeline),
    }),
    explain: (ref, signal) => explain(ref, clusterView, signal),
    whatIf: (ref, how, signal) => whatIf(ref, how, clusterView, signal),
    history: (namespace) => linesOf(options.histories(), namespace),
    histories: options.histories,
  };
}

const MOST_CHANGES = 50;

function changesOf(ref: SourceRef, timeline: Timeline): SourceAnswer['changes'] {
  const key = sourceKey(ref);
  const isMeant = ({ source }: { readonly source?: SourceRef }): boolean =>
    source !== undefined && sourceKey(source) === key;
  return [...timeline.find({ isMeant, limit: MOST_CHANGES }).events].reverse();
}

async function statusOf(options: OperatorViewOptions): Promise<StatusAnswer> {
  const { settings, world, now } = options.clusterView;
  await options.lines.fresh();
  const lines = [...options.lines.all()];
  const notable = await options.lines.read(
    lines.filter(({ why, state }) => why !== undefined || state === 'failing'),
  );
  return {
    version: options.version,
    mode: settings.mode,
    leading: options.leads(),
    installedAt: timeOf(options.installedAt * 1000),
    namespaces: settings.namespaces,
    ...options.inventory(),
    watched: lines.filter(({ asks }) => asks).length,
    frozen: frozenParts(
      world,
      settings,
      lines.filter(({ frozen }) => frozen === 'workload').map(({ workload }) => workload),
      now(),
    ),
    pending: notable.flatMap(({ workload, pending }) => (pending ? [{ workload, wait: pending }] : [])),
    failing: notable.flatMap(failuresOf),
    troubled: lines.flatMap(({ workload, problems }) => problems.map((problem) => ({ workload, problem }))),
  };
}

function failuresOf({ workload, lastError, rolloutFailed }: WorkloadLine): StatusAnswer['failing'] {
  const failed = rolloutFailed === undefined ? [] : [`the rollout failed: ${rolloutFailed}`];
  return [...(lastError ? [lastError] : []), ...failed].map((error) => ({ workload, error }));
}
