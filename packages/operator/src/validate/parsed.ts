/** The result of parsing a text. */
export type Parsed =
  /** A text may hold several documents. */
  { readonly documents: readonly unknown[] } | { readonly mistakes: readonly Mistake[] };

/** Never quotes the text: it may be a password. */
export interface Mistake {
  /** Starts at 1. */
  readonly line?: number;
  readonly column?: number;
  /** The rest of a sentence that begins with the place. */
  readonly what: string;
}

/** More levels than any configuration has, and few enough for recursive functions. */
export const DEEPEST = 64;
export const TOO_DEEP = `is nested more than ${DEEPEST} levels deep`;

export function mistake(what: string, place: Omit<Mistake, 'what'> = {}): Parsed {
  return { mistakes: [{ ...place, what }] };
}

/** Both start at 1. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}
