/** The three durations of an election, and the rules between them without which it would not be safe. */

export interface ElectionTimings {
  /** How long followers wait after the last renewal that they saw before they take over. Whole seconds. */
  readonly leaseDurationMs: number;
  /** How long the leader tries to renew before it gives up; also how long its writes may continue without a renewal. */
  readonly renewDeadlineMs: number;
  /** Time between two attempts to acquire or renew. */
  readonly retryPeriodMs: number;
}

/** Safe while no replica's clock runs 1.5 times as fast as another's (lease duration / renew deadline). */
export const DEFAULT_TIMINGS: ElectionTimings = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

/** The renew deadline must leave a leader time for at least one full retry. */
const RETRY_MARGIN = 1.2;

/** The election's timings contradict each other. */
export class ElectionConfigError extends Error {
  override name = 'ElectionConfigError';
}

export function validateTimings(timings: ElectionTimings): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timings;
  for (const [name, value] of Object.entries(timings)) {
    if (!Number.isFinite(value) || value <= 0) {
      throw new ElectionConfigError(
        `Election ${name} must be a positive number of milliseconds, got ${value}`,
      );
    }
  }
  if (leaseDurationMs % 1000 !== 0) {
    throw new ElectionConfigError(
      `Election leaseDurationMs is ${leaseDurationMs}: the Lease stores whole seconds, use a multiple of 1000`,
    );
  }
  if (leaseDurationMs <= renewDeadlineMs) {
    throw new ElectionConfigError(
      `Election leaseDurationMs (${leaseDurationMs}) must be greater than renewDeadlineMs (${renewDeadlineMs})`,
    );
  }
  if (renewDeadlineMs <= retryPeriodMs * RETRY_MARGIN) {
    throw new ElectionConfigError(
      `Election renewDeadlineMs (${renewDeadlineMs}) must be greater than retryPeriodMs (${retryPeriodMs}) times ${RETRY_MARGIN}`,
    );
  }
}

/**
 * When a follower retries, counted from the start of its last attempt: one to two retry periods later, so that
 * replicas spread out and the slowest attempt, request included, still ends within 2.2 periods; but no later than the
 * expiry of the observed Lease.
 */
export function nextAttempt(
  retryPeriodMs: number,
  attemptStart: number,
  expiry: number | undefined,
  now: number,
  random: () => number,
): number {
  const jittered = attemptStart + retryPeriodMs * (1 + random());
  return expiry !== undefined && expiry > now ? Math.min(jittered, expiry) : jittered;
}
