/** Events from before this process, reconstructed from the history: reloads, their causes, and how they ended. Pure. */
import type { WorkloadRef } from '../reloader/model/workload.ts';
import type { ReloadEntry, WorkloadHistory } from '../reloader/report/history.ts';
import { pastReload } from './past.ts';
import type { TimelineEvent } from './shapes.ts';
import type { TimelineFilter } from './timeline.ts';
import { timeOf } from './times.ts';

type Past = Omit<TimelineEvent, 'number'>;

/**
 * Events before `begins`, the time from which the timeline itself is complete; the newest of them, oldest first. Their
 * numbers are negative: streams do not send them.
 */
export function pastEvents(
  histories: Iterable<readonly [WorkloadRef, WorkloadHistory]>,
  begins: string,
  { since = '', until = begins, isMeant }: Omit<TimelineFilter, 'limit'>,
  limit: number,
): { readonly events: readonly TimelineEvent[]; readonly truncated: boolean } {
  const end = until < begins ? until : begins;
  if (since >= end) return { events: [], truncated: false };
  const found: Past[] = [];
  for (const [workload, { reloads }] of histories) {
    for (const entry of reloads) {
      for (const event of eventsOf(workload, entry))
        if (event.at >= since && event.at < end) found.push(event);
    }
  }
  found.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const events = found
    .map((event, at): TimelineEvent => ({ number: at - found.length, ...event }))
    .filter(isMeant);
  return { events: limit > 0 ? events.slice(-limit) : [], truncated: events.length > limit };
}

function eventsOf(workload: WorkloadRef, entry: ReloadEntry): Past[] {
  const { at, sources, result, message } = pastReload(entry);
  const told = message === undefined ? {} : { message };
  if (result === 'refused') return [{ at, type: 'refused', workload, causes: sources, ...told }];
  const reload: Past = { at, type: 'reload', workload, causes: sources };
  if (result === 'rolling' || entry.rollout === undefined) return [reload];
  const ended = timeOf((entry.at + entry.rollout) * 1000);
  return [reload, { at: ended, type: 'rollout', workload, result, ...told }];
}
