/**
 * Matches the simple expressions that users mostly write, names with a few wildcards: `web-.*`, `.*-tls`,
 * `app.config`. They need no expression engine, which takes more memory than all cached data of a namespace.
 */

/** Letters, digits, `_`, `-`; `.` for any character, `\.` for a dot; `.*` and `.+`. */
const SIMPLE = /^(?:[A-Za-z0-9_-]|\\\.|\.[*+]?)+$/;

/** Undefined if the item needs the expression engine. */
export function globOf(item: string): ((name: string) => boolean) | undefined {
  if (!SIMPLE.test(item)) return undefined;
  const parts: string[] = [''];
  const add = (characters: string): void => {
    parts[parts.length - 1] += characters;
  };
  for (const [token] of item.matchAll(/\\\.|\.[*+]?|[^.\\]/g)) {
    if (token === '.*' || token === '.+') {
      if (token === '.+') add(ANY);
      parts.push('');
    } else add(token === '.' ? ANY : token === '\\.' ? '.' : token);
  }
  const shortest = parts.reduce((sum, part) => sum + part.length, 0);
  return (name) => name.length >= shortest && fits(name, parts);
}

/** Stands for any one character; it cannot occur in a name. */
const ANY = '\0';

/** The first part must match at the start, the last at the end, the others in order, each as early as possible. */
function fits(name: string, parts: readonly string[]): boolean {
  const first = parts[0] ?? '';
  if (parts.length === 1) return name.length === first.length && isAt(name, 0, first);
  const last = parts.at(-1) ?? '';
  const end = name.length - last.length;
  if (!isAt(name, 0, first) || !isAt(name, end, last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    while (at + part.length <= end && !isAt(name, at, part)) at += 1;
    at += part.length;
  }
  return at <= end;
}

function isAt(name: string, at: number, part: string): boolean {
  for (let index = 0; index < part.length; index++) {
    const wanted = part[index];
    const char = name[at + index];
    // As in RE2, `.` does not match a line break.
    if (wanted === ANY ? char === undefined || char === '\n' : wanted !== char) return false;
  }
  return true;
}
