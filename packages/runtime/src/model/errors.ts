/** Errors whose type says what helps. Throw them, or let your own extend them. */

export interface ReasonOptions extends ErrorOptions {
  /** One CamelCase word for the condition and the Event; by default the name of the error without "Error". */
  readonly reason?: string | undefined;
}

/**
 * Somebody has to change an object, a permission or a setting first. The object is looked at again slowly (every five
 * minutes, or when something changes), and is `Stalled` meanwhile.
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
 * Trying again cannot help: the failure is counted and logged, the object is `Stalled`, and its key waits for the next
 * event.
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
