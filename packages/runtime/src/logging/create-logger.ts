/**
 * The logger of a process.
 *
 * In: messages and named values. Out: one line per entry, warnings and errors at once, others within the same turn of
 * the event loop (`batches.ts`). Guarantees: no call throws, whatever its arguments; an entry is always exactly one
 * line; `redaction.ts` says which values are removed. On a pipe or file Node writes synchronously, so nothing is lost
 * on exit.
 */
import { type Clock, systemClock } from '../clock/clock.ts';
import { standardError } from './batches.ts';
import { createEntryLogger } from './entry-logger.ts';
import { jsonLine, textLine } from './line-format.ts';
import type { Logger, LogLevel } from './logger.ts';
import { Redaction } from './redaction.ts';

/** Level, format and destination. */
export interface LoggerOptions {
  /** Entries below it are dropped. `info` unless given. */
  readonly level?: LogLevel | 'silent' | undefined;
  /** `json` unless given. */
  readonly format?: 'json' | 'text' | undefined;
  /** The destination, called for each write: standard error unless given. */
  readonly destination?: { write(line: string): unknown } | undefined;
  readonly clock?: Clock | undefined;
  readonly redaction?: Redaction | undefined;
}

/** A logger that writes one line per entry, as JSON or text, with secrets redacted. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = 'info', clock = systemClock } = options;
  const destination: { write(line: string): unknown; flush?(): void } =
    options.destination ?? standardError();
  const format = options.format === 'text' ? textLine : jsonLine;
  const redaction = options.redaction ?? new Redaction();
  const stacks = level === 'debug' || level === 'trace';
  return createEntryLogger(level, (entry) => {
    try {
      const time = new Date(clock.now()).toISOString();
      destination.write(`${format(entry, time, { redaction, stacks })}\n`);
      if (entry.level === 'warn' || entry.level === 'error') destination.flush?.();
    } catch {
      // There is nowhere left to report to, and a reconcile must not fail because of a log line.
    }
  });
}

/** Discards everything: for tests and callers without logging. */
export const silentLogger: Logger = createEntryLogger('silent', () => undefined);
