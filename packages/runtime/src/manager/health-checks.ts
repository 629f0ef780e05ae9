/** Common health checks: caches and event loop. */
import type { InformerHealth } from '../cache/informer.ts';
import type { EventLoopMonitor } from '../metrics/event-loop-lag.ts';
import type { HealthCheck } from './health.ts';

/** When a watch counts as dead. */
export interface CacheCheckOptions {
  /** An informer counts as dead after this many watch stalls in a row. 2 unless given. */
  readonly maxStalls?: number | undefined;
  /**
   * Also after this long without an event or bookmark. 150 s unless given: twice the 70 s idle limit, with a margin.
   */
  readonly maxSilenceMs?: number | undefined;
}

/** Readiness: every informer is synced and its watch is alive. */
export function cachesAlive(
  health: () => ReadonlyMap<string, InformerHealth>,
  options: CacheCheckOptions = {},
): HealthCheck {
  return () => {
    const problems = [...health()].flatMap(([name, each]) => {
      const problem = problemOf(each, options);
      return problem ? [`${name} ${problem}`] : [];
    });
    if (problems.length > 0) throw new Error(problems.join('; '));
  };
}

function problemOf(health: InformerHealth, options: CacheCheckOptions): string | undefined {
  const { maxStalls = 2, maxSilenceMs = 150_000 } = options;
  const { state, synced, consecutiveStalls, lastEventAgeMs } = health;
  if (state.phase === 'forbidden' || state.phase === 'missing')
    return `is ${state.phase}: ${state.error.message}`;
  if (!synced) return `is not in sync (${state.phase})`;
  if (consecutiveStalls >= maxStalls) return `stalled ${consecutiveStalls} times in a row`;
  if (lastEventAgeMs !== undefined && lastEventAgeMs > maxSilenceMs) {
    return `received nothing for ${Math.round(lastEventAgeMs / 1000)} s`;
  }
  return undefined;
}

/** Limit for the event loop's lag. */
export interface EventLoopCheckOptions {
  /** 5 s unless given. */
  readonly maxLagSeconds?: number | undefined;
}

/** Liveness: the event loop is not blocked most of the time. */
export function eventLoopResponsive(
  monitor: EventLoopMonitor,
  options: EventLoopCheckOptions = {},
): HealthCheck {
  const { maxLagSeconds = 5 } = options;
  return () => {
    const { p99Seconds } = monitor.read();
    if (p99Seconds > maxLagSeconds) {
      throw new Error(`the event loop lags ${p99Seconds.toFixed(1)} s (p99), more than ${maxLagSeconds} s`);
    }
  };
}
