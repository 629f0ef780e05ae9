/**
 * What the operator can tell about itself and about single workloads, for `/api/v1`, the command and the dashboard.
 *
 * In: an observer, and what only the running process has. Out: answers. Lists come from lines that are kept while somebody
 * asks; everything else is computed when somebody asks.
 */

import { type SourceRef, sourceKey } from '../reloader/model/source.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { WorkloadHistory } from '../reloader/report/history.ts';
import { explain } from './explain.ts';
import { frozenParts } from './frozen.ts';
import type { Line, Lines } from './lines.ts';
import type { Observer } from './observer.ts';
import { linesOf } from './past.ts';
import type {
  Explanation,
  HistoryLine,
  SourceAnswer,
  SourceLine,
  StatusAnswer,
  WhatIf,
  WorkloadLine,
} from './shapes.ts';
import { sourceLines, sourceState } from './sources.ts';
import type { Streams } from './streams.ts';
import type { Timeline } from './timeline.ts';
import { timeOf } from './times.ts';
import { type WhatIfOptions, whatIf } from './what-if.ts';

export interface Insight {
  /** Brings the lists below up to date without holding up anything else. Without it they do so at once. */
  fresh(): Promise<void>;
  status(): StatusAnswer;
  /** Those that ask for something or have a problem, sorted; of one namespace or all. */
  workloads(namespace?: string): readonly WorkloadLine[];
  /** The same with what a list needs to know. */
  lines(): readonly Line[];
  /** Everything that somebody is reloaded for, sorted. */
  sources(): readonly SourceLine[];
  source(ref: SourceRef): SourceAnswer;
  explain(ref: WorkloadRef, signal: AbortSignal): Promise<Explanation | undefined>;
  whatIf(ref: SourceRef, options: WhatIfOptions, signal: AbortSignal): Promise<WhatIf>;
  /** The newest first. */
  history(namespace?: string): readonly HistoryLine[];
  readonly timeline: Timeline;
  readonly streams: Streams;
  /** Where a stream goes on from what was just answered. */
  revision(): string;
}

export interface InsightOptions {
  readonly observer: Observer;
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

export function createInsight(options: InsightOptions): Insight {
  const { observer, lines, timeline, streams, revision } = options;
  let listed: { readonly of: readonly Line[]; readonly sources: readonly SourceLine[] } | undefined;
  return {
    timeline,
    streams,
    revision,
    fresh: () => lines.fresh(),
    status: () => statusOf(options, lines.all()),
    workloads: (namespace) =>
      lines
        .all()
        .map(({ line }) => line)
        .filter(({ workload }) => namespace === undefined || workload.namespace === namespace),
    lines: () => lines.all(),
    sources: () => {
      const of = lines.all();
      if (listed?.of !== of) listed = { of, sources: sourceLines(of, observer.world) };
      return listed.sources;
    },
    source: (ref) => ({
      source: ref,
      ...sourceState(ref, observer.world),
      usedBy: lines
        .all()
        .filter(({ line }) => line.sources.some((each) => sourceKey(each) === sourceKey(ref)))
        .map(({ line, number }) => ({ number, ...line })),
      changes: changesOf(ref, timeline),
    }),
    explain: (ref, signal) => explain(ref, observer, signal),
    whatIf: (ref, how, signal) => whatIf(ref, how, observer, signal),
    history: (namespace) => linesOf(options.histories(), namespace),
  };
}

const MOST_CHANGES = 50;

function changesOf(ref: SourceRef, timeline: Timeline): SourceAnswer['changes'] {
  const key = sourceKey(ref);
  const isMeant = ({ source }: { readonly source?: SourceRef }): boolean =>
    source !== undefined && sourceKey(source) === key;
  return [...timeline.find({ isMeant, limit: MOST_CHANGES }).events].reverse();
}

/** For reloads, now or before. One that wanted to and made a mistake does not, and is listed all the same. */
function asks({ sources, reloads }: WorkloadLine): boolean {
  return sources.length > 0 || reloads > 0;
}

function statusOf(options: InsightOptions, lines: readonly Line[]): StatusAnswer {
  const { settings } = options.observer;
  return {
    version: options.version,
    mode: settings.mode,
    leading: options.leads(),
    installedAt: timeOf(options.installedAt * 1000),
    namespaces: settings.namespaces,
    ...options.inventory(),
    watched: lines.filter(({ line }) => asks(line)).length,
    frozen: frozenParts(
      options.observer.world,
      settings,
      lines.filter(({ line }) => line.frozen === 'workload').map(({ line }) => line.workload),
      options.observer.now(),
    ),
    pending: lines.flatMap(({ line: { workload, pending } }) =>
      pending ? [{ workload, wait: pending }] : [],
    ),
    failing: lines.flatMap(({ line }) => failuresOf(line)),
    troubled: lines.flatMap(({ line: { workload }, problems }) =>
      problems.map((problem) => ({ workload, problem })),
    ),
  };
}

function failuresOf({ workload, lastError, rolloutFailed }: WorkloadLine): StatusAnswer['failing'] {
  const failed = rolloutFailed === undefined ? [] : [`the rollout failed: ${rolloutFailed}`];
  return [...(lastError ? [lastError] : []), ...failed].map((error) => ({ workload, error }));
}
