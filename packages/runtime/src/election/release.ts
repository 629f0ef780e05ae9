/** Releases a Lease only while it is provably still ours: reads it again after every conflict. */
import { ConflictError, NotFoundError } from '../client/errors.ts';
import type { Stored } from '../model/types.ts';
import type { Lease } from './lease.ts';
import type { LeaseCalls } from './lease-calls.ts';

export interface ReleaseRequest {
  readonly calls: LeaseCalls;
  /** The Lease as last seen; read if undefined. */
  readonly lease: Stored<Lease> | undefined;
  readonly isOurs: (lease: Lease) => boolean;
  /** Pause between two attempts after any failure but a conflict. */
  readonly pause: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Returns once the Lease is released, gone, or held by another. Throws at the deadline. */
export async function releaseLease(request: ReleaseRequest): Promise<void> {
  const { calls, isOurs, signal } = request;
  let lease = request.lease;
  for (;;) {
    try {
      lease ??= await calls.get(signal);
      if (isOurs(lease)) await calls.giveUp(lease, signal);
      return;
    } catch (error) {
      if (error instanceof NotFoundError) return;
      if (signal.aborted) throw error;
      if (!(error instanceof ConflictError)) await request.pause();
    }
    lease = undefined;
  }
}
