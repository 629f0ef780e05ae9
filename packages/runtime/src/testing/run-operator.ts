/** An operator that runs inside a test. */
import type { Assembly, OperatorEnvironment } from '../builder/assemble.ts';
import { systemClock } from '../clock/clock.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { Manager } from '../manager/manager.ts';
import { settle } from './waiting.ts';

/** A running operator, its parts, and how to stop it. */
export interface RunningOperator extends Assembly {
  /** Stops it, advancing a virtual clock as needed. Rejects with the operator's failure. */
  stop(): Promise<void>;
}

/**
 * Starts an operator (the result of `operator(...).reconcile(...)`) on a test's clients and clock. With a
 * virtual clock the test advances time (`clock.advance`, `eventually`); nothing here waits by itself.
 *
 * @example
 * ```ts
 * const clock = new VirtualClock();
 * const cluster = await startMinicluster({ clock });
 * const client = createClient({ transport: cluster.transport(), clock });
 * const running = runOperator(greetings, { client, clock });
 * // …
 * await running.stop();
 * ```
 */
export function runOperator(
  operator: { build(environment: OperatorEnvironment): Assembly },
  environment: OperatorEnvironment,
): RunningOperator {
  const { clock = systemClock, logger } = environment;
  const assembly = operator.build(environment);
  const manager = new Manager({ clock, ...(logger && { logger }) });
  manager.add(...assembly.runnables);
  const stopping = new AbortController();
  const running = manager.run(stopping.signal);
  // `stop` rejects with the failure; until then it must not count as unhandled.
  running.catch(() => undefined);
  return {
    ...assembly,
    async stop() {
      stopping.abort(new Error('The test stops it'));
      await (clock instanceof VirtualClock ? settle(clock, running) : running);
    },
  };
}
