/** When reloads may begin: windows of time, each allowing or denying. */

/** Recurring, from each time of a cron schedule for as long as it lasts; `schedule` has been checked. */
export interface RecurringWindow {
  readonly kind: 'allow' | 'deny';
  readonly schedule: string;
  /** Elapsed time: clocks that are put forward or back do not change it. */
  readonly durationMs: number;
  /** IANA. */
  readonly timeZone: string;
}

/** Once, in milliseconds since the epoch: from `from` on, and no longer at `to`. */
export interface SingleWindow {
  readonly kind: 'allow' | 'deny';
  readonly from: number;
  readonly to: number;
}

export type Window = RecurringWindow | SingleWindow;

/** The windows of one place. Every place must be open; inside one, any allowing window is enough, and denying wins. */
export interface WindowSet {
  /** For people: `annotation … of Namespace shop`. */
  readonly where: string;
  readonly windows: readonly Window[];
}

export const MOST_WINDOWS = 16;
export const SHORTEST_WINDOW_MS = 60_000;
export const LONGEST_WINDOW_MS = 168 * 3_600_000;
