/** The result of a reconcile; none means done until the next event. */
export interface Result {
  /** Requeue after this many milliseconds, unless an event comes first. Resets a running backoff. */
  readonly requeueAfterMs?: number;
  /** Requeue with backoff, as after a failure, without counting as one. */
  readonly requeue?: boolean;
  /** Priority of the requeued run; the priority of this run unless given. */
  readonly priority?: number;
  /** The same as throwing it. An error takes precedence over the other fields. */
  readonly error?: unknown;
}
