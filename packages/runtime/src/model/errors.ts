/** Errors whose class says what helps. Throw them, or extend them. */

export interface ReasonOptions extends ErrorOptions {
  /** One CamelCase word for the condition and the Event; by default the name of the error without "Error". */
  readonly reason?: string | undefined;
}

/**
 * A person has to change an object, a permission or a setting first. The object is requeued slowly (every
 * five minutes, or on the next event), and is `Stalled` until then.
 *
 * @example
 * ```ts
 * if (!secret) throw new ConfigurationError(`Secret "${name}" does not exist: create it`, { reason: 'SecretMissing' });
 * ```
 */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
  readonly reason: string | undefined;

  constructor(message: string, options: ReasonOptions = {}) {
    const { reason, ...rest } = options;
    super(message, rest);
    this.reason = reason;
  }
}

/**
 * A retry cannot help: the failure is counted and logged, the object is `Stalled`, and its key is dropped until the
 * next event.
 */
export class TerminalError extends Error {
  override name = 'TerminalError';
  readonly reason: string | undefined;

  constructor(message: string, options: ReasonOptions = {}) {
    const { reason, ...rest } = options;
    super(message, rest);
    this.reason = reason;
  }
}
