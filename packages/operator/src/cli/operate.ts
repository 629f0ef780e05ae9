/** Runs the operator as a process: with its own log, until a signal ends it. */
import { createLogger, failFast, type Logger, onTermination } from '@reloader/runtime';
import type { Environment } from '../settings/environment.ts';
import { parseSettings } from '../settings/parse.ts';
import type { Settings } from '../settings/settings.ts';
import { EXIT } from './failure.ts';

export type RunOperator = (
  settings: Settings,
  dependencies: { readonly logger: Logger; readonly signal: AbortSignal },
) => Promise<void>;

/** Resolves with the exit code. Throws a `UsageError` before anything is started. */
export async function operate(
  flags: readonly string[],
  environment: Environment,
  run: RunOperator,
  loggerOf: (log: Settings['log']) => Logger = createLogger,
): Promise<number> {
  const settings = parseSettings(flags, environment);
  const logger = loggerOf(settings.log);
  const endFailFast = failFast({ logger });
  const { signal, dispose } = onTermination({ logger });
  try {
    await run(settings, { logger, signal });
    return EXIT.ok;
  } catch (error) {
    logger.error('The operator failed', { error });
    return EXIT.failure;
  } finally {
    dispose();
    endFailFast();
  }
}
