/**
 * Describes the problem of an expression in one sentence with the place. A problem of the text may quote the text; a
 * problem at evaluation never quotes the library, because its message may contain a value of the data.
 */

export class ExpressionError extends Error {
  override name = 'ExpressionError';
  offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

/** The used part of the library's errors. */
interface CelProblem {
  readonly code?: string;
  readonly summary?: string;
  readonly range?: { readonly start: number };
}

export function problemOfText(error: unknown, text: string): string {
  if (error instanceof ExpressionError) return withPlace(error.message, text, error.offset);
  const { code = '', summary, range } = error as CelProblem;
  const what = TEXT_WORDS[code] ?? (summary ? lowerFirst(summary) : 'this is not an expression');
  return withPlace(what, text, range?.start);
}

export function problemOfRun(error: unknown, text: string): string {
  if (error instanceof ExpressionError) return withPlace(error.message, text, error.offset);
  if (error instanceof RangeError) return 'the data is nested too deeply';
  const { code = '', range } = error as CelProblem;
  return withPlace(RUN_WORDS[code] ?? 'this cannot be evaluated', text, range?.start);
}

const TEXT_WORDS: Readonly<Record<string, string>> = {
  limit_exceeded: 'the expression has too many parts or is nested too deeply',
};

const RUN_WORDS: Readonly<Record<string, string>> = {
  no_such_key: 'there is no such field or key; ask for it by has() or by in first',
  no_such_overload: 'these types do not go together',
  no_matching_overload: 'these types do not go together',
  index_out_of_bounds: 'there is no such position in the list or text',
  index_out_of_range: 'there is no such position in the list or text',
  division_by_zero: 'a division by zero',
  modulo_by_zero: 'a division by zero',
};

function withPlace(what: string, text: string, offset: number | undefined): string {
  if (offset === undefined) return what;
  const before = text.slice(0, offset).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  return before.length > 1 ? `line ${before.length}, column ${column}: ${what}` : `column ${column}: ${what}`;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
