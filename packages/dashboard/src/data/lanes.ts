/** Events as lanes, one for each workload: waits and rollouts as bars, changes of sources as marks. Pure. */
import type { TimelineEvent, WorkloadRef } from '@reloader/operator/api';
import { eventText, keyOf, waitWord } from './words.ts';

export type Tone = 'wait' | 'frozen' | 'rolling' | 'succeeded' | 'failed' | 'change' | 'observe';

export interface Bar {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly tone: Tone;
  readonly text: string;
}

export interface Lane {
  readonly key: string;
  readonly workload: WorkloadRef | undefined;
  readonly bars: readonly Bar[];
}

/** The lane of sources first, then the workloads, the one with the most recent event first. */
export function lanesOf(
  events: readonly TimelineEvent[],
  from: number,
  to: number,
  now: number,
): readonly Lane[] {
  const lanes = new Map<string, { workload: WorkloadRef | undefined; bars: Bar[] }>();
  const open = new Map<string, { from: number; tone: Tone; text: string }>();
  const add = (key: string, workload: WorkloadRef | undefined, bar: Bar): void => {
    if (bar.to < from || bar.from > to) return;
    const lane = lanes.get(key) ?? { workload, bars: [] };
    lane.bars.push(bar);
    lanes.delete(key);
    lanes.set(key, lane);
  };
  const workloads = new Map<string, WorkloadRef>();
  for (const event of events) {
    const at = Date.parse(event.at);
    const { workload, type } = event;
    if (!workload) {
      add('', undefined, { from: at, to: at, tone: 'change', text: eventText(event) });
      continue;
    }
    const key = keyOf(workload);
    workloads.set(key, workload);
    const before = open.get(key);
    open.delete(key);
    if (before) add(key, workload, { ...before, to: at, tone: endTone(before.tone, event) });
    if (type === 'wait') {
      const why = event.wait?.why ?? '';
      open.set(key, { from: at, tone: why === 'frozen' ? 'frozen' : 'wait', text: waitWord(why) });
    } else if (type === 'reload') open.set(key, { from: at, tone: 'rolling', text: eventText(event) });
    else if (type !== 'rollout' || !before) {
      add(key, workload, { from: at, to: at, tone: toneOf(event), text: eventText(event) });
    }
  }
  for (const [key, bar] of open) add(key, workloads.get(key), { ...bar, to: now });
  const all = [...lanes].map(([key, lane]) => ({ key, ...lane })).reverse();
  return [...all.filter(({ key }) => key === ''), ...all.filter(({ key }) => key !== '')];
}

/** The colour of a rollout is that of its result. */
function endTone(tone: Tone, { type, result }: TimelineEvent): Tone {
  return tone === 'rolling' && type === 'rollout' ? resultTone(result) : tone;
}

function resultTone(result: TimelineEvent['result']): Tone {
  if (result === 'timeout') return 'failed';
  return result === undefined || result === 'superseded' ? 'rolling' : result;
}

function toneOf({ type, result }: TimelineEvent): Tone {
  if (type === 'rollout') return resultTone(result);
  return type === 'observe' ? 'observe' : 'failed';
}

const SECOND = 1_000;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200].map(
  (seconds) => seconds * SECOND,
);
const MOST_TICKS = 6;

/** Round times in the local time zone. */
export function ticksOf({ from, to }: { readonly from: number; readonly to: number }): readonly number[] {
  const step = STEPS.find((each) => (to - from) / each <= MOST_TICKS) ?? 24 * 3_600 * SECOND;
  const offset = new Date(from).getTimezoneOffset() * 60 * SECOND;
  const first = Math.ceil((from - offset) / step) * step + offset;
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, at) => first + at * step);
}

export interface Bucket {
  readonly from: number;
  readonly changes: number;
  readonly reloads: number;
  readonly failures: number;
}

/** For more events than can be told apart: how many of each kind happened in each of `pieces` intervals. */
export function bucketsOf(
  events: readonly TimelineEvent[],
  from: number,
  to: number,
  pieces: number,
): readonly Bucket[] {
  const size = Math.max(1, (to - from) / pieces);
  const buckets = Array.from({ length: pieces }, (_, at) => ({
    from: from + at * size,
    changes: 0,
    reloads: 0,
    failures: 0,
  }));
  for (const { at, type, result } of events) {
    const bucket = buckets[Math.floor((Date.parse(at) - from) / size)];
    if (!bucket) continue;
    if (type === 'source') bucket.changes += 1;
    else if (type === 'reload') bucket.reloads += 1;
    else if (type === 'refused' || result === 'failed' || result === 'timeout') bucket.failures += 1;
  }
  return buckets;
}
