/** A logger that keeps its entries, for tests that assert what was logged. */
import { createEntryLogger, type LogEntry } from '../logging/entry-logger.ts';
import type { Logger, LogLevel } from '../logging/logger.ts';

/** One entry, with its time if the logger has a clock. */
export interface CapturedEntry extends LogEntry {
  /** Milliseconds since the epoch. */
  readonly at?: number;
}

/** A logger and its entries. */
export interface CapturingLogger {
  /** To be passed to the code under test. */
  readonly logger: Logger;
  /** Everything logged so far, oldest first. */
  readonly entries: readonly CapturedEntry[];
  /** The messages of one level, or of all. */
  messages(level?: LogLevel): string[];
  /** Forgets what was logged so far. */
  clear(): void;
}

/** A logger that keeps its entries, each with its time if a clock is given. */
export function createCapturingLogger(level: LogLevel = 'trace', clock?: { now(): number }): CapturingLogger {
  const entries: CapturedEntry[] = [];
  return {
    logger: createEntryLogger(
      level,
      (entry) => void entries.push(clock ? { ...entry, at: clock.now() } : entry),
    ),
    entries,
    messages: (only) =>
      entries.filter((entry) => !only || entry.level === only).map((entry) => entry.message),
    clear: () => void entries.splice(0),
  };
}
