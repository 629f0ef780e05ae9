/** The template cannot be parsed or executed; the message begins with its place, as `key:line:column`. */
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

/** An error at an offset of the source; a caller that knows the template's name converts it to a `TemplateError`. */
export class SourceError extends Error {
  override name = 'SourceError';
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** The error for an offset of the source. */
export function errorAt(template: string, source: string, at: number, complaint: string): TemplateError {
  const { line, column } = placeOf(source, at);
  return new TemplateError(template, line, column, complaint);
}

/** Line and column (from 1) of an offset. */
function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}
