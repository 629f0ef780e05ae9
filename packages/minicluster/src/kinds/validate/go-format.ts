/** Formats values in error messages as Go does. */
import { isRecord } from '../fields.ts';

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** Like `%q`: printable characters are kept, everything else is escaped. */
export function quoted(value: string): string {
  let result = '"';
  for (const character of value) {
    const short = SHORT_ESCAPES[character];
    const code = character.codePointAt(0) ?? 0;
    if (short !== undefined) result += short;
    else if (code < 0x20 || code === 0x7f) result += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (/\p{C}|\p{Zl}|\p{Zp}/u.test(character) || (/\p{Zs}/u.test(character) && character !== ' '))
      result += `\\u${code.toString(16).padStart(4, '0')}`;
    else result += character;
  }
  return `${result}"`;
}

/** Fields printed in the given order: a struct, as opposed to a map with sorted keys. */
export class Struct {
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.fields = fields;
  }
}

/** Like `json.Marshal`: map keys sorted, no spaces, `<`, `>` and `&` escaped. */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (value instanceof Struct) return braced(value.fields, Object.keys(value.fields));
  if (isRecord(value)) return braced(value, Object.keys(value).sort());
  const printed = JSON.stringify(value) ?? 'null';
  return printed.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function braced(fields: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  const entries = keys
    .filter((key) => fields[key] !== undefined)
    .map((key) => `${goJson(key)}:${goJson(fields[key])}`);
  return `{${entries.join(',')}}`;
}

/** An invalid value as `field.Error` prints it. */
export const printed = (value: unknown): string =>
  typeof value === 'string' ? quoted(value) : goJson(value ?? null);
