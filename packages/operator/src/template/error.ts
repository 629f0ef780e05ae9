/** The template cannot be read or carried out; the message begins with its place, as `key:line:column`. */
export class TemplateError extends Error {
  override name = 'TemplateError';
  readonly template: string;
  readonly line: number;
  readonly column: number;
  /** The message without the place. */
  readonly complaint: string;

  constructor(template: string, line: number, column: number, complaint: string) {
    super(`${template}:${line}:${column}: ${complaint}`);
    this.template = template;
    this.line = line;
    this.column = column;
    this.complaint = complaint;
  }
}

/** Line and column (from 1) of an offset. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
