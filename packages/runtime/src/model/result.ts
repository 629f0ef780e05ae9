/** What a reconcile returns; nothing means that it is done until the next event. */
export interface Result {
  /** Run again after this many milliseconds, unless an event comes first. Ends a running backoff. */
  readonly requeueAfterMs?: number;
  /** Run again with backoff, as after a failure, without counting as one. */
  readonly requeue?: boolean;
  /** For the next run that this result asks for; the priority of this run unless given. */
  readonly priority?: number;
  /** The same as throwing it. Where the result asks for something too, the error wins. */
  readonly error?: unknown;
}
