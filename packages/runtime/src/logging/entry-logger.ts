/** The part of a logger that is independent of the destination: levels, and values bound to a child. */
import type { Logger, LogLevel, LogValues } from './logger.ts';

/** One entry before it becomes a line. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  /** Bound values first, then those of the call; a later value replaces an earlier one of the same name. */
  readonly values: LogValues;
}

const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error'];

/** Whether a text names a level. */
export function isLogLevel(text: string): text is LogLevel {
  return (LEVELS as readonly string[]).includes(text);
}

/** Hands every entry at or above `threshold` to `sink`. */
export function createEntryLogger(threshold: LogLevel | 'silent', sink: (entry: LogEntry) => void): Logger {
  const lowest = threshold === 'silent' ? LEVELS.length : LEVELS.indexOf(threshold);
  if (lowest < 0) {
    throw new TypeError(`Log level "${threshold}" is unknown: use one of ${LEVELS.join(', ')} or silent`);
  }
  return new EntryLogger(lowest, sink);
}

class EntryLogger implements Logger {
  readonly #lowest: number;
  readonly #sink: (entry: LogEntry) => void;
  readonly #parent: EntryLogger | undefined;
  readonly #bound: LogValues | undefined;

  constructor(lowest: number, sink: (entry: LogEntry) => void, parent?: EntryLogger, bound?: LogValues) {
    this.#lowest = lowest;
    this.#sink = sink;
    this.#parent = parent;
    this.#bound = bound;
  }

  trace(message: string, values?: LogValues): void {
    if (this.#lowest <= 0) this.#emit('trace', message, values);
  }

  debug(message: string, values?: LogValues): void {
    if (this.#lowest <= 1) this.#emit('debug', message, values);
  }

  info(message: string, values?: LogValues): void {
    if (this.#lowest <= 2) this.#emit('info', message, values);
  }

  warn(message: string, values?: LogValues): void {
    if (this.#lowest <= 3) this.#emit('warn', message, values);
  }

  error(message: string, values?: LogValues): void {
    if (this.#lowest <= 4) this.#emit('error', message, values);
  }

  enabled(level: LogLevel): boolean {
    return this.#lowest <= LEVELS.indexOf(level);
  }

  /** Only stores the values: every reconcile makes a logger, and most of them never write. */
  with(values: LogValues): Logger {
    return new EntryLogger(this.#lowest, this.#sink, this, values);
  }

  #emit(level: LogLevel, message: string, values: LogValues | undefined): void {
    const bound = this.#allBound();
    this.#sink({ level, message, values: bound ? { ...bound, ...values } : (values ?? {}) });
  }

  #allBound(): LogValues | undefined {
    const before = this.#parent ? this.#parent.#allBound() : undefined;
    return before ? { ...before, ...this.#bound } : this.#bound;
  }
}
