/** JSON, more strictly than `JSON.parse`: a repeated key in an object is a mistake. */
import { DEEPEST, mistake, type Parsed, placeOf, TOO_DEEP } from '../parsed.ts';

export function parseJson(text: string): Parsed {
  // Checked before parsing: a million brackets would build a million objects.
  if (isTooDeep(text)) return mistake(TOO_DEEP);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return mistake('is not JSON', placeIn(error, text));
  }
  const twice = repeatedKey(text);
  return twice === undefined
    ? { documents: [value] }
    : mistake('repeats a key of the same object', placeOf(text, twice));
}

/** The message quotes the text, so only the number at its end is used. */
function placeIn(error: unknown, text: string): ReturnType<typeof placeOf> | undefined {
  const { message } = error as Error;
  const [, offset] = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message) ?? [];
  return offset === undefined ? undefined : placeOf(text, Number(offset));
}

/** For a text that is not JSON the result is arbitrary, and the parser reports the mistake. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) index = endOfString(text, index);
    else if (character === OPEN_LIST || character === OPEN_MAP) {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (character === CLOSE_LIST || character === CLOSE_MAP) depth -= 1;
  }
  return false;
}

/** The offset of the second occurrence, in valid JSON. */
function repeatedKey(text: string): number | undefined {
  const open: (Set<string> | undefined)[] = [];
  let expectsKey = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) {
      const end = endOfString(text, index);
      const keys = open.at(-1);
      if (keys && expectsKey) {
        const key = keyOf(text.slice(index + 1, end));
        if (keys.has(key)) return index;
        keys.add(key);
        expectsKey = false;
      }
      index = end;
    } else if (character === OPEN_MAP) {
      open.push(new Set());
      expectsKey = true;
    } else if (character === OPEN_LIST) open.push(undefined);
    else if (character === CLOSE_MAP || character === CLOSE_LIST) open.pop();
    else if (character === COMMA) expectsKey = open.at(-1) !== undefined;
  }
  return undefined;
}

function keyOf(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/** The offset of the closing quote. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, start, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, start: number, quote: number): boolean {
  let slashes = 0;
  for (let at = quote - 1; at > start && text.charCodeAt(at) === BACKSLASH; at -= 1) slashes += 1;
  return slashes % 2 === 1;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_MAP = 0x7b;
const CLOSE_MAP = 0x7d;
