/** Assembles the data behind `/api/v1`: lines that are kept up to date, the timeline, and the streams of both. */
import type { Clock } from '@reloader/runtime';
import { Lines } from './api/lines.ts';
import { createOperatorView, type OperatorView, type OperatorViewOptions } from './api/operator-view.ts';
import type { Sequence } from './api/sequence.ts';
import { Streams } from './api/streams.ts';
import { refOf, type WorkloadRef } from './reloader/model/workload.ts';
import type { Inventory } from './reloader/report/metrics.ts';
import type { EngineView } from './reloader/report/reporter.ts';
import type { Watch } from './reloader/watch/watch.ts';
import { collectWhenIdle } from './tidy-memory.ts';

export interface OverviewOptions extends Omit<OperatorViewOptions, 'lines' | 'streams' | 'revision'> {
  readonly watch: Watch;
  readonly view: EngineView;
  readonly sequence: Sequence;
  readonly clock: Clock;
}

export function createOverview(options: OverviewOptions): {
  readonly operatorView: OperatorView;
  readonly lines: Lines;
} {
  const { watch, view, sequence, clock, timeline, leads } = options;
  const lines = new Lines({
    sequence,
    all: () => workloadsOf(watch),
    view: (ref) => view.summary(ref),
    clock,
    tidy: collectWhenIdle({ clock }),
  });
  keepFresh(lines, options);
  const streams = new Streams({ lines, timeline, sequence, leads, clock });
  return {
    lines,
    operatorView: createOperatorView({ ...options, lines, streams, revision: () => sequence.mark() }),
  };
}

/** One after the other as they are asked for: there may be ten thousand. */
function* workloadsOf({ workloadInformers }: Watch): Iterable<WorkloadRef> {
  for (const { store } of workloadInformers.values()) for (const each of store.list()) yield refOf(each);
}

/**
 * Touches lines after passes of the engine, after changes of pods, and on a standby replica after changes of sources.
 */
function keepFresh(lines: Lines, { view, watch, leads }: OverviewOptions): void {
  view.onChange((ref) => lines.touch(ref));
  for (const informer of watch.workloadInformers.values()) {
    informer.addHandler(({ object }) => lines.touch(refOf(object)));
  }
  for (const informer of watch.sourceInformers) {
    informer.addHandler(({ object }) => {
      // The leader's passes follow, and report what came of it.
      if (!lines.isKept || leads()) return;
      const { kind, labels, metadata } = object;
      const ref = { kind, namespace: metadata.namespace, name: metadata.name };
      for (const each of watch.affected.bySource(ref, [labels])) lines.touch(each as WorkloadRef);
    });
  }
}

/** The number of watched objects by kind. */
export function inventoryOf({ sourceInformers, workloadInformers }: Watch): Inventory {
  return {
    sources: Object.fromEntries(sourceInformers.map(({ type, store }) => [type.kind, store.size])),
    workloads: Object.fromEntries([...workloadInformers].map(([kind, { store }]) => [kind, store.size])),
  };
}
