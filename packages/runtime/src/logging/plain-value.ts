/**
 * Converts any value to JSON for log lines.
 *
 * Guarantees: never throws, is bounded in time, never repeats a cycle, never shows bytes, the payload of a Secret, or
 * a redacted value. Omitted parts are replaced by a note in brackets.
 */
import { REDACTED, type Redaction } from './redaction.ts';

export type Plain = string | number | boolean | null | Plain[] | { [name: string]: Plain };

export interface PlainOptions {
  readonly redaction: Redaction;
  /** Log the stack of every error, not only of those that point at a bug. */
  readonly stacks: boolean;
}

const DEEPEST = 8;
const MOST_ITEMS = 100;
const LONGEST_TEXT = 16_384;

export function toPlain(value: unknown, options: PlainOptions): Plain {
  return convert(value, options, []);
}

function convert(value: unknown, options: PlainOptions, parents: readonly object[]): Plain {
  switch (typeof value) {
    case 'string':
      return text(value, options);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'undefined':
      return null;
    case 'function':
      return '[function]';
    case 'object':
      return value === null ? null : guarded(value, options, parents);
    default:
      return String(value);
  }
}

function guarded(value: object, options: PlainOptions, parents: readonly object[]): Plain {
  if (parents.includes(value)) return '[circular]';
  if (parents.length >= DEEPEST) return '[too deep]';
  try {
    return convertObject(value, options, [...parents, value]);
  } catch {
    return '[unreadable]';
  }
}

function convertObject(value: object, options: PlainOptions, parents: readonly object[]): Plain {
  if (value instanceof Error) return convertError(value, options, parents);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString();
  if (Array.isArray(value)) return items(value, options, parents);
  if (value instanceof Set) return items([...value], options, parents);
  if (value instanceof Map) {
    return properties(
      [...value].map(([name, item]) => [String(name), item]),
      options,
      parents,
    );
  }
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return convert(value.toJSON(), options, parents);
  const payloads = isSecret(value) ? PAYLOADS : NO_PAYLOADS;
  const names = Object.keys(value);
  const plain: { [name: string]: Plain } = Object.create(null);
  for (let index = 0; index < names.length && index < MOST_ITEMS; index++) {
    const name = names[index] ?? '';
    add(plain, name, payloads.includes(name) ? REDACTED : read(value, name), options, parents);
  }
  return withRest(plain, names.length);
}

const PAYLOADS: readonly string[] = ['data', 'stringData'];
const NO_PAYLOADS: readonly string[] = [];

function convertError(error: Error, options: PlainOptions, parents: readonly object[]): Plain {
  const result: { [name: string]: Plain } = {
    name: text(String(error.name), options),
    message: text(String(error.message), options),
  };
  const code = read(error, 'code');
  if (typeof code === 'string' || typeof code === 'number') result.code = convert(code, options, parents);
  if (error instanceof AggregateError) result.errors = items(error.errors, options, parents);
  if (error.cause !== undefined) result.cause = convert(error.cause, options, parents);
  if ((options.stacks || pointsAtBug(error)) && error.stack) result.stack = text(error.stack, options);
  return result;
}

function items(values: readonly unknown[], options: PlainOptions, parents: readonly object[]): Plain[] {
  const plain = values.slice(0, MOST_ITEMS).map((item) => convert(item, options, parents));
  if (values.length > MOST_ITEMS) plain.push(`[${values.length - MOST_ITEMS} more]`);
  return plain;
}

function properties(
  entries: readonly (readonly [string, unknown])[],
  options: PlainOptions,
  parents: readonly object[],
): Plain {
  const plain: { [name: string]: Plain } = Object.create(null);
  for (const [name, value] of entries.slice(0, MOST_ITEMS)) add(plain, name, value, options, parents);
  return withRest(plain, entries.length);
}

function add(
  plain: { [name: string]: Plain },
  name: string,
  value: unknown,
  options: PlainOptions,
  parents: readonly object[],
): void {
  if (value === undefined) return;
  const hidden = options.redaction.isSensitiveName(name);
  plain[text(name, options)] = hidden ? REDACTED : convert(value, options, parents);
}

function withRest(plain: { [name: string]: Plain }, count: number): Plain {
  if (count > MOST_ITEMS) plain['...'] = `[${count - MOST_ITEMS} more]`;
  return plain;
}

function text(value: string, options: PlainOptions): string {
  const clean = options.redaction.clean(value);
  const over = clean.length - LONGEST_TEXT;
  return over > 0 ? `${clean.slice(0, LONGEST_TEXT)}[${over} more]` : clean;
}

function read(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return '[unreadable]';
  }
}

function isSecret(value: object): boolean {
  return read(value, 'kind') === 'Secret';
}

/** An API error explains itself; these point at a bug in our own code, and only the stack says where. */
export function pointsAtBug(error: unknown): boolean {
  const wrapped = failureOfFetch(error);
  if (wrapped) return pointsAtBug(wrapped);
  return (
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    (error instanceof Error && error.name === 'AssertionError')
  );
}

/** `fetch` throws a TypeError "fetch failed" for every failure of the network; its cause is the failure. */
export function failureOfFetch(error: unknown): Error | undefined {
  return error instanceof TypeError && error.cause instanceof Error ? error.cause : undefined;
}
