/**
 * Runs a manager as a whole program, until a signal or a failure; the exit code says which.
 *
 * Guarantees: when the promise resolves, the manager has stopped and the process has an exit code. It never ends the
 * process itself: other work of the program may finish, and a process with nothing left to do ends.
 */
import type { Logger } from '../logging/logger.ts';
import { failFast, onTermination, type ProcessLike } from './process-signals.ts';

/** Options of a program. */
export interface ProgramOptions {
  readonly logger?: Logger | undefined;
  /** For tests; the process itself unless given. */
  readonly process?: ProcessLike & { exitCode?: number | string | null | undefined };
}

/**
 * Runs `manager` until SIGTERM or SIGINT. Exit code 0 after an orderly stop, 1 after a failure (which is logged), a lost
 * lease, a second signal, or a rejection that nobody handles.
 *
 * @example
 * ```ts
 * const manager = new Manager({ logger, clients: [client] });
 * manager.add(cacheRunnable(cache), controller);
 * await runProgram(manager, { logger });
 * ```
 */
export async function runProgram(
  manager: { run(signal: AbortSignal): Promise<void> },
  options: ProgramOptions = {},
): Promise<void> {
  const { logger, process: target = process } = options;
  const termination = onTermination({ process: target, ...(logger && { logger }) });
  const undo = logger ? failFast({ logger, process: target }) : () => undefined;
  try {
    await manager.run(termination.signal);
  } catch (error) {
    logger?.error('The program ends with a failure', { error });
    target.exitCode = 1;
  } finally {
    termination.dispose();
    undo();
  }
}
