/** A logger that keeps its entries, for tests that assert what was logged. */
import { createEntryLogger, type LogEntry } from '../logging/entry-logger.ts';
import type { Logger, LogLevel } from '../logging/logger.ts';

/** A logger and its entries. */
export interface CapturingLogger {
  /** To be passed to the code under test. */
  readonly logger: Logger;
  /** Everything logged so far, oldest first. */
  readonly entries: readonly LogEntry[];
  /** The messages of one level, or of all. */
  messages(level?: LogLevel): string[];
  /** Forgets what was logged so far. */
  clear(): void;
}

/** A logger that keeps its entries. */
export function createCapturingLogger(level: LogLevel = 'trace'): CapturingLogger {
  const entries: LogEntry[] = [];
  return {
    logger: createEntryLogger(level, (entry) => void entries.push(entry)),
    entries,
    messages: (only) =>
      entries.filter((entry) => !only || entry.level === only).map((entry) => entry.message),
    clear: () => void entries.splice(0),
  };
}
