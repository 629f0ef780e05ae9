/**
 * Structured log lines. In: a message and named values. Out: one line per call, JSON or text, never partial.
 * Values under keys that look like credentials are replaced; errors keep their name, message and cause chain.
 */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';
/** Named values of an entry. */
export type LogValues = Readonly<Record<string, unknown>>;

/** Five levels, and `with` for values that every further entry carries. */
export interface Logger {
  /** Every step, for the author of a part. */
  trace(message: string, values?: LogValues): void;
  /** Helps to find a problem. */
  debug(message: string, values?: LogValues): void;
  /** An administrator wants to know it, once. */
  info(message: string, values?: LogValues): void;
  /** Something went wrong and will be tried again, or needs a person. */
  warn(message: string, values?: LogValues): void;
  /** Something went wrong and nothing will try again. */
  error(message: string, values?: LogValues): void;
  /** A child logger that adds these values to every line. */
  with(values: LogValues): Logger;
  /** Whether lines of this level are written; ask before anything costly is assembled. */
  enabled(level: LogLevel): boolean;
}
