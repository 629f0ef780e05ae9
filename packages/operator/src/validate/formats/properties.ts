/** Java's `.properties`: lines of keys and values, as `java.util.Properties` reads them. A repeated key is a mistake. */
import { mistake, type Parsed } from '../parsed.ts';

export function parseProperties(text: string): Parsed {
  const values = new Map<string, string>();
  for (const { line, number } of logicalLines(text)) {
    const at = endOfKey(line);
    const key = unescaped(line.slice(0, at));
    const value = unescaped(line.slice(at).replace(/^[ \t\f]*[=:]?[ \t\f]*/, ''));
    if (key === undefined || value === undefined) {
      return mistake('has \\u without four hexadecimal digits', { line: number });
    }
    if (values.has(key)) return mistake('repeats a key', { line: number });
    values.set(key, value);
  }
  return { documents: [Object.fromEntries(values)] };
}

/** Without comments and empty lines; a line that ends with an odd number of backslashes continues on the next. */
function* logicalLines(text: string): Generator<{ readonly line: string; readonly number: number }> {
  let parts: string[] = [];
  let first = 0;
  let number = 0;
  for (const natural of text.split(/\r\n|\r|\n/)) {
    number += 1;
    const line = natural.replace(/^[ \t\f]+/, '');
    if (parts.length === 0) {
      if (line === '' || line.startsWith('#') || line.startsWith('!')) continue;
      first = number;
    }
    const goesOn = endsWithOddSlashes(line);
    parts.push(goesOn ? line.slice(0, -1) : line);
    if (goesOn) continue;
    yield { line: parts.join(''), number: first };
    parts = [];
  }
  if (parts.length > 0) yield { line: parts.join(''), number: first };
}

function endsWithOddSlashes(line: string): boolean {
  let slashes = 0;
  while (slashes < line.length && line[line.length - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

const BACKSLASH = 0x5c;
const ENDS_KEY: ReadonlySet<number> = new Set([...'=: \t\f'].map((character) => character.charCodeAt(0)));

function endOfKey(line: string): number {
  for (let index = 0; index < line.length; index += 1) {
    const character = line.charCodeAt(index);
    if (character === BACKSLASH) index += 1;
    else if (ENDS_KEY.has(character)) return index;
  }
  return line.length;
}

const ESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

/** Undefined: `\u` without four hexadecimal digits. */
function unescaped(text: string): string | undefined {
  let result = '';
  let from = 0;
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', from)) {
    result += text.slice(from, at);
    const character = text[at + 1] ?? '';
    if (character === 'u') {
      const digits = text.slice(at + 2, at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) return undefined;
      result += String.fromCharCode(Number.parseInt(digits, 16));
      from = at + 6;
    } else {
      result += ESCAPED[character] ?? character;
      from = at + 2;
    }
  }
  return result + text.slice(from);
}
