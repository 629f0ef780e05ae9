/**
 * Structured log lines. In: a message and named values. Out: one line per call, JSON or text, never partial.
 * Values under keys that look like credentials are replaced; errors keep their name, message and cause chain.
 */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';
/** Named values of an entry. */
export type LogValues = Readonly<Record<string, unknown>>;

/** Five levels, and `with` for values that every further entry carries. */
export interface Logger {
  trace(message: string, values?: LogValues): void;
  debug(message: string, values?: LogValues): void;
  info(message: string, values?: LogValues): void;
  warn(message: string, values?: LogValues): void;
  error(message: string, values?: LogValues): void;
  /** A child logger that adds these values to every line. */
  with(values: LogValues): Logger;
  enabled(level: LogLevel): boolean;
}
