/** A queue's state of one key while the key waits, is ready or is being processed. */
import type { Delayed } from './delay-heap.ts';
import type { ReadyKey } from './ready-keys.ts';

/** Times are milliseconds on the monotonic clock; Infinity means "not asked for". */
export interface KeyState extends Delayed, ReadyKey {
  readonly key: string;
  priority: number;
  readySince: number;
  /** Seen before, but neither waiting, ready nor in process. */
  isIdle: boolean;
  isReady: boolean;
  isProcessing: boolean;
  startedAt: number;
  /** Due time from plain additions; a debounce moves it. */
  eventAt: number;
  /** The first of the plain additions merged into `eventAt`. */
  firstEventAt: number;
  /** Due time from a delay or backoff; only ever moves to an earlier time. */
  timerAt: number;
  /** The reason given by the last addition. */
  reason: unknown;
}

/** All fields in the constructor and in one order, so that 100 000 of these share one hidden class. */
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

/** When the key is due; Infinity if it was not requested. */
export function wantedAt(state: KeyState): number {
  return Math.min(state.eventAt, state.timerAt);
}
