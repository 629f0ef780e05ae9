/** What a queue remembers of one key while the key waits, is ready or is in hand. */
import type { Delayed } from './delay-heap.ts';
import type { ReadyKey } from './ready-keys.ts';

/** Times are milliseconds on the monotonic clock; Infinity means "not asked for". */
export interface KeyState extends Delayed, ReadyKey {
  readonly key: string;
  priority: number;
  readySince: number;
  /** Known from before, but neither waiting, ready nor in hand. */
  isIdle: boolean;
  isReady: boolean;
  isProcessing: boolean;
  startedAt: number;
  /** Due because of plain additions; a debounce moves it. */
  eventAt: number;
  /** The first of the plain additions that `eventAt` stands for. */
  firstEventAt: number;
  /** Due because of a delay or backoff; only ever moves to an earlier time. */
  timerAt: number;
  /** Whatever the last addition gave as its reason. */
  reason: unknown;
}

/** All fields from the start and in one order, so that 100 000 of these share one compact shape. */
export function newKeyState(key: string, namespace: string): KeyState {
  return {
    key,
    namespace,
    priority: 0,
    readySince: 0,
    isIdle: false,
    isReady: false,
    isProcessing: false,
    startedAt: 0,
    eventAt: Infinity,
    firstEventAt: 0,
    timerAt: Infinity,
    reason: undefined,
    dueAt: 0,
    heapIndex: -1,
    heapOrder: 0,
    group: undefined,
    previous: undefined,
    next: undefined,
  };
}

/** When the key was asked to run next; Infinity when it was not. */
export function wantedAt(state: KeyState): number {
  return Math.min(state.eventAt, state.timerAt);
}
