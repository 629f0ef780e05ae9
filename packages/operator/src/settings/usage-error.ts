/** The command line or the environment is invalid. The message names the flag, its value and what to write instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Thrown by value types: the reason why a value is refused. The caller adds the name of the flag. */
export class BadValue extends Error {
  override name = 'BadValue';
}
