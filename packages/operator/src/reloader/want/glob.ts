/**
 * Most expressions that people write are names with a few wildcards: `web-.*`, `.*-tls`, `app.config`. They need no
 * expression engine, which costs more than all that the operator knows of a namespace.
 */

/** Letters, digits, `_`, `-`; `.` for any character, `\.` for a dot; `.*` and `.+`. */
const SIMPLE = /^(?:[A-Za-z0-9_-]|\\\.|\.[*+]?)+$/;

/** Undefined where it takes more than that. */
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

/** Stands for one character, and is in no name. */
const ANY = '\0';

/** The first part at the beginning, the last at the end, the others in their order and as early as they go. */
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
    // As in an expression, any character is any but the end of a line.
    if (wanted === ANY ? char === undefined || char === '\n' : wanted !== char) return false;
  }
  return true;
}
