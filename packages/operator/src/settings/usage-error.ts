/** The command line or the environment cannot be used. The message names the flag, its value and what to write instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Thrown by value types: why a value is refused. The caller adds which flag it was. */
export class BadValue extends Error {
  override name = 'BadValue';
}
