/**
 * Comma lists of names, each item an RE2 expression that is wrapped as `^item$` without grouping, so `a|b` means
 * "starts with a, or ends with b": users rely on it.
 *
 * Matching is linear in the name's length, whatever the expression. A bad item is reported and matches nothing; the
 * other items go on.
 */
import { RE2JS } from 're2js';

export interface NamedList {
  matches(name: string): boolean;
  /** Items that are no valid expressions, with the reason. */
  readonly problems: readonly { readonly item: string; readonly message: string }[];
}

/** A longer list is cut off: nobody types it, and compiling it would cost everyone else. */
const LONGEST_LIST = 16_384;

const NOTHING: NamedList = { matches: () => false, problems: [] };

export function parseNamedList(text: string): NamedList {
  if (text.length > LONGEST_LIST) {
    const message = `the list has ${text.length} characters, at most ${LONGEST_LIST} are read`;
    return { matches: () => false, problems: [{ item: `${text.slice(0, 40)}…`, message }] };
  }
  const expressions: RE2JS[] = [];
  const problems: { item: string; message: string }[] = [];
  for (const item of text.split(',').map((part) => part.trim())) {
    if (item === '') continue;
    try {
      expressions.push(RE2JS.compile(`^${item}$`));
    } catch (error) {
      problems.push({ item, message: error instanceof Error ? error.message : String(error) });
    }
  }
  if (expressions.length === 0 && problems.length === 0) return NOTHING;
  return { matches: (name) => expressions.some((expression) => expression.matcher(name).find()), problems };
}

/** Exclude lists hold plain names. */
export function parseNames(text: string | undefined): ReadonlySet<string> {
  return new Set(
    (text ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
}
