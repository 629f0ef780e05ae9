/** What reading a text comes to. */
export type Parsed =
  /** A text may hold several documents. */
  { readonly documents: readonly unknown[] } | { readonly mistakes: readonly Mistake[] };

/** Never with a piece of the text: it may be a password. */
export interface Mistake {
  /** Counts from 1. */
  readonly line?: number;
  readonly column?: number;
  /** Continues the sentence that the place begins. */
  readonly what: string;
}

/** More levels than any configuration has, and few enough for functions that call themselves. */
export const DEEPEST = 64;
export const TOO_DEEP = `is nested more than ${DEEPEST} levels deep`;

export function mistake(what: string, place: Omit<Mistake, 'what'> = {}): Parsed {
  return { mistakes: [{ ...place, what }] };
}

/** Counts from 1. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}
