/** Reads a user's map without its prototype: a flag may rename an annotation to `constructor`. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Parses a comma-separated list of plain names. */
export function parseNames(text: string | undefined): ReadonlySet<string> {
  const names = (text ?? '').split(',').map((part) => part.trim());
  return new Set(names.filter((name) => name !== ''));
}
