/** A map that users wrote, read without its prototype: a flag may well rename an annotation to `constructor`. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A comma list of plain names. */
export function parseNames(text: string | undefined): ReadonlySet<string> {
  const names = (text ?? '').split(',').map((part) => part.trim());
  return new Set(names.filter((name) => name !== ''));
}
