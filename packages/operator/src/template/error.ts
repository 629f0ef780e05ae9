/** The template cannot be read or carried out; the message begins with its place, as `key:line:column`. */
export class TemplateError extends Error {
  override name = 'TemplateError';
  readonly line: number;
  readonly column: number;

  constructor(name: string, line: number, column: number, message: string) {
    super(`${name}:${line}:${column}: ${message}`);
    this.line = line;
    this.column = column;
  }
}

/** Line and column (from 1) of an offset. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
