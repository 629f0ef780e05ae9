/** Windows of time in which reloads may begin (`allow`) or may not (`deny`). */

/** Opens at each time of a cron schedule and lasts for `durationMs`; `schedule` has been checked. */
export interface RecurringWindow {
  readonly kind: 'allow' | 'deny';
  readonly schedule: string;
  /** Elapsed time: daylight saving does not change it. */
  readonly durationMs: number;
  /** IANA name. */
  readonly timeZone: string;
}

/** One-time, in milliseconds since the epoch: includes `from`, excludes `to`. */
export interface SingleWindow {
  readonly kind: 'allow' | 'deny';
  readonly from: number;
  readonly to: number;
}

export type Window = RecurringWindow | SingleWindow;

/** The windows of one place. Every place must be open; within a place one allowing window suffices, and a deny wins. */
export interface WindowSet {
  /** For messages: `annotation … of Namespace shop`. */
  readonly where: string;
  readonly windows: readonly Window[];
}

export const MOST_WINDOWS = 16;
export const SHORTEST_WINDOW_MS = 60_000;
export const LONGEST_WINDOW_MS = 168 * 3_600_000;
