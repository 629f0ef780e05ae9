/** Checks that any controller wants: are its caches alive, is its event loop. */
import type { InformerHealth } from '../cache/informer.ts';
import type { EventLoopMonitor } from '../metrics/event-loop-lag.ts';
import type { HealthCheck } from './health.ts';

/** How often a watch may stall, and how long be silent, before it counts as dead. */
export interface CacheCheckOptions {
  /** From so many watch stalls in a row on an informer counts as dead. 2 unless given. */
  readonly maxStalls?: number | undefined;
  /** From so long without event or bookmark on, too. 150 s unless given: twice the 70 s idle limit, and a little. */
  readonly maxSilenceMs?: number | undefined;
}

/** Readiness: every informer is in sync and its watch is alive. */
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
    return `has heard nothing for ${Math.round(lastEventAgeMs / 1000)} s`;
  }
  return undefined;
}

/** How slow the event loop may be. */
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
