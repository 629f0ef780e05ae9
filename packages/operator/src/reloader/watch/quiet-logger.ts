/** A logger for expected failures: a kind that most clusters do not have is not worth a warning. */
import type { Logger } from '@reloader/runtime';

export function quiet(logger: Logger): Logger {
  return {
    trace: (message, values) => logger.trace(message, values),
    debug: (message, values) => logger.debug(message, values),
    info: (message, values) => logger.info(message, values),
    warn: (message, values) => logger.debug(message, values),
    error: (message, values) => logger.error(message, values),
    with: (values) => quiet(logger.with(values)),
    enabled: (level) => logger.enabled(level === 'warn' ? 'debug' : level),
  };
}
