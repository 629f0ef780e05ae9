/**
 * The leader election interface of the manager. `createElector` implements it; tests use a few lines.
 *
 * The manager calls `run` once, keeps it running while leader work is being stopped (so that the Lease is renewed
 * until the last reconcile has ended), then aborts it, waits for it, and calls `release` last.
 */
export interface Elector {
  /** Names the Lease in messages, for example `lease kube-system/reloader`. */
  readonly name: string;
  readonly isLeader: boolean;
  /**
   * Campaigns and leads until the signal aborts, then resolves without releasing the Lease. Rejects with a
   * `LeaseLostError` if a held Lease could not be renewed in time or another process took it. Failures before the
   * Lease was ever held are retried, never a rejection.
   */
  run(signal: AbortSignal, callbacks: ElectorCallbacks): Promise<void>;
  /**
   * Releases the Lease if it is held, so that another process may lead at once. Called after `run` has ended and all
   * leader work has stopped. Has its own timeout; does nothing if the Lease is not held.
   */
  release(): Promise<void>;
  /** Throws if this process believes it leads but has not renewed for longer than the lease duration. */
  check(): void;
}

/** Callbacks of an elector. */
export interface ElectorCallbacks {
  /** Called once, as soon as this process leads. Must not throw. */
  readonly onStartedLeading: () => void;
  /** Called whenever the observed leader changes, also when it is this process. */
  readonly onNewLeader?: (identity: string) => void;
}

/** A held Lease was lost: leader work must stop now and the process must exit. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';
}
