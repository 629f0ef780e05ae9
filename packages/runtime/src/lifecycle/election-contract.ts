/**
 * What the manager asks of a leader election. `createElector` implements it; tests use a few lines.
 *
 * The manager calls `run` once, keeps it running while leader work is being stopped (so that the lease is
 * renewed until the last reconcile has ended), then aborts it, waits for it, and calls `release` last of all.
 */
export interface Elector {
  /** Names the lease in messages, for example `lease kube-system/reloader`. */
  readonly name: string;
  readonly isLeader: boolean;
  /**
   * Takes part until the signal aborts, then resolves without giving the lease up. Rejects with a
   * `LeaseLostError` when a lease that was held could not be renewed in time or was taken by another.
   * Trouble before the lease was ever held is retried, never a rejection.
   */
  run(signal: AbortSignal, callbacks: ElectorCallbacks): Promise<void>;
  /**
   * Gives the lease up if it is held, so that another may lead at once. Called after `run` has ended and all
   * leader work has stopped. Bounds itself in time; does nothing when the lease is not held.
   */
  release(): Promise<void>;
  /** Throws when this process believes to lead but has not renewed for longer than the lease lasts. */
  check(): void;
}

/** What an elector tells. */
export interface ElectorCallbacks {
  /** Called once, as soon as this process leads. Must not throw. */
  readonly onStartedLeading: () => void;
  /** Called whenever the observed leader changes, also for ourselves. */
  readonly onNewLeader?: (identity: string) => void;
}

/** The lease was held and is not held any more: leader work must stop now and the process must exit. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}
