/** Lines, timeline and streams over views that a test hands out. */
import { VirtualClock } from '@reloader/runtime/testing';
import type { WorkloadSummary } from '../reloader/report/reporter.ts';
import { Lines } from './lines.ts';
import { Sequence } from './sequence.ts';
import { Streams } from './streams.ts';
import { Timeline } from './timeline.ts';

export function partsOver(
  views: () => Iterable<WorkloadSummary>,
  clock = new VirtualClock(),
  tidy?: () => void,
  leads = () => true,
) {
  const sequence = new Sequence('epoch');
  const lines = new Lines({
    sequence,
    all: () => [...views()].map(({ ref }) => ref),
    view: ({ name }) => {
      for (const view of views()) if (view.ref.name === name) return view;
      return undefined;
    },
    clock,
    ...(tidy && { tidy }),
  });
  const timeline = new Timeline(sequence, () => clock.now());
  const streams = new Streams({ lines, timeline, sequence, leads, clock });
  return { clock, sequence, lines, timeline, streams, revision: () => sequence.mark() };
}
