/** Formats one entry as one line. Whatever a value contains, the line has no line break and no control character. */
import type { LogEntry } from './entry-logger.ts';
import { type Plain, type PlainOptions, toPlain } from './plain-value.ts';

const RESERVED = new Set(['time', 'level', 'msg']);

/** Characters that JSON does not escape although terminals or line splitters act on them. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029]/g;

export type LineFormat = (entry: LogEntry, time: string, options: PlainOptions) => string;

export const jsonLine: LineFormat = (entry, time, options) => {
  const values = plainValues(entry, options);
  // Without a prototype, so that `__proto__` is an ordinary name.
  const line: Record<string, Plain> = Object.create(null);
  line.time = time;
  line.level = entry.level;
  line.msg = options.redaction.clean(entry.message);
  // A value must not replace the line's own fields.
  for (const [name, value] of Object.entries(values)) line[RESERVED.has(name) ? `${name}_` : name] = value;
  return quote(line);
};

export const textLine: LineFormat = (entry, time, options) => {
  const message = options.redaction.clean(entry.message);
  let line = `${time} ${entry.level.toUpperCase().padEnd(5)} ${quote(message).slice(1, -1).replaceAll('\\"', '"')}`;
  const values = plainValues(entry, options);
  for (const name in values) {
    const value = values[name] ?? null;
    line += ` ${bare(name)}=${isErrorLike(value) ? bare(errorSentence(value)) : bare(value)}`;
  }
  return line;
};

function plainValues(entry: LogEntry, options: PlainOptions): Record<string, Plain> {
  const plain = toPlain(entry.values, options);
  return plain !== null && typeof plain === 'object' && !Array.isArray(plain) ? plain : { values: plain };
}

function quote(value: Plain | Record<string, Plain>): string {
  return JSON.stringify(value).replace(UNSAFE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const BARE = /^[\w./:@+,()[\]-]+$/;

/** Single words are written as they are, everything else in quotes, so that `a=b c` is never two values. */
function bare(value: Plain): string {
  if (typeof value !== 'string') return quote(value);
  return BARE.test(value) ? value : quote(value);
}

interface ErrorLike {
  readonly [name: string]: Plain;
  readonly name: string;
  readonly message: string;
}

function isErrorLike(value: Plain): value is ErrorLike & Plain {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    typeof value.name === 'string' &&
    typeof value.message === 'string'
  );
}

function errorSentence(error: ErrorLike): string {
  let sentence = `${error.name}: ${error.message}`;
  if (Array.isArray(error.errors)) sentence += ` [${error.errors.map(part).join('; ')}]`;
  if (error.cause !== undefined) sentence += `; caused by ${part(error.cause)}`;
  return typeof error.stack === 'string' ? `${sentence}\n${error.stack}` : sentence;
}

function part(value: Plain): string {
  if (isErrorLike(value)) return errorSentence(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
