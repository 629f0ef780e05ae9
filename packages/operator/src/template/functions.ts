/**
 * The functions that a template can call: Go's own, and the string functions known from Helm, with their order of
 * arguments (the value comes last, so that it can come from a pipeline). They can access only their arguments.
 */
import { compare, equal, FunctionError } from './compare.ts';
import type { Meter } from './meter.ts';
import { formatValue, sprint } from './print.ts';
import { sprintf } from './printf.ts';
import { isPrintable, quote } from './quoting.ts';
import { lower, title, trimSpace, truncate, upper } from './text.ts';
import { isList, isMap, isTrue, keysOf, typeName, type Value } from './values.ts';

/** The caller charges for arguments and result; the function uses the meter for additional cost. */
export type TemplateFunction = (values: readonly Value[], meter: Meter) => Value;
type PlainFunction = (...values: readonly Value[]) => Value;

/** The limit for functions that multiply text; the output has its own limit. */
const LONGEST_RESULT = 1_000_000;
const MOST_ITEMS = 10_000;

const text = (value: Value, name: string): string => {
  if (typeof value === 'string') return value;
  throw new FunctionError(`${name}: wrong type for value; expected string; got ${typeName(value)}`);
};

const count = (value: Value, name: string): number => {
  if (typeof value === 'bigint' && value > -0x80000000n && value < 0x80000000n) return Number(value);
  throw new FunctionError(`${name}: wrong type for value; expected int; got ${typeName(value)}`);
};

function exactly(name: string, wanted: number, run: PlainFunction): TemplateFunction {
  return (values) => {
    if (values.length === wanted) return run(...values);
    throw new FunctionError(`wrong number of args for ${name}: want ${wanted} got ${values.length}`);
  };
}

function atLeast(name: string, least: number, run: PlainFunction): TemplateFunction {
  return metered(name, least, (values) => run(...values));
}

function metered(name: string, least: number, run: TemplateFunction): TemplateFunction {
  return (values, meter) => {
    if (values.length >= least) return run(values, meter);
    throw new FunctionError(`wrong number of args for ${name}: want at least ${least} got ${values.length}`);
  };
}

const strings = (run: (value: string, name: string) => Value) => (name: string) =>
  exactly(name, 1, (value) => run(text(value, name), name));

function indexInto(item: Value, ...path: readonly Value[]): Value {
  let value = item;
  for (const key of path) {
    if (value === undefined) throw new FunctionError('index of untyped nil');
    if (isMap(value)) {
      const name = text(key, 'index');
      value = Object.hasOwn(value, name) ? value[name] : undefined;
    } else if (isList(value) || typeof value === 'string') {
      const bytes = typeof value === 'string' ? Buffer.from(value) : value;
      const at = count(key, 'index');
      if (at < 0 || at >= bytes.length) throw new FunctionError(`index out of range: ${at}`);
      const found: Value | number = bytes[at];
      value = typeof value === 'string' ? BigInt(found as number) : (found as Value);
    } else throw new FunctionError(`can't index item of type ${typeName(value)}`);
  }
  return value;
}

function slice(item: Value, ...bounds: readonly Value[]): Value {
  if (bounds.length > 3) throw new FunctionError(`too many slice indexes: ${bounds.length}`);
  if (typeof item === 'string' && bounds.length === 3)
    throw new FunctionError('cannot 3-index slice a string');
  if (typeof item !== 'string' && !isList(item))
    throw new FunctionError(`can't slice item of type ${typeName(item)}`);
  const bytes = typeof item === 'string' ? Buffer.from(item) : item;
  const [from = 0, to = bytes.length, most = bytes.length] = bounds.map((bound) => count(bound, 'slice'));
  for (const bound of [from, to, most]) {
    if (bound < 0 || bound > bytes.length) throw new FunctionError(`index out of range: ${bound}`);
  }
  if (from > to || to > most) throw new FunctionError(`invalid slice index: ${from} > ${to}`);
  return typeof item === 'string'
    ? (bytes as Buffer).subarray(from, to).toString()
    : (item as readonly Value[]).slice(from, to);
}

function length(value: Value): Value {
  if (typeof value === 'string') return BigInt(Buffer.byteLength(value));
  if (isList(value)) return BigInt(value.length);
  if (value !== undefined && isMap(value)) return BigInt(Object.keys(value).length);
  throw new FunctionError(value === undefined ? 'len of nil pointer' : `len of type ${typeName(value)}`);
}

const HTML: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

const JS: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

function escapeJs(value: string): string {
  return [...value]
    .map((char) => {
      const point = char.codePointAt(0) ?? 0;
      const hides = point < 0x20 || (point > 0x7f && !isPrintable(char));
      return JS[char] ?? (hides ? `\\u${point.toString(16).toUpperCase().padStart(4, '0')}` : char);
    })
    .join('');
}

function escapeQuery(value: string): string {
  return encodeURIComponent(value)
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

/** The text of one value, or of several as `print` gives it. */
const evaluated = (values: readonly Value[]): string =>
  sprint(values.map((value) => (value === undefined ? '<no value>' : value)));

function toJson(value: Value): string {
  if (value === undefined) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (isList(value)) return `[${value.map(toJson).join(',')}]`;
  if (isMap(value))
    return `{${keysOf(value)
      .map((key) => `${toJson(key)}:${toJson(value[key])}`)
      .join(',')}}`;
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function bounded(length: number, name: string): void {
  if (length > LONGEST_RESULT) throw new FunctionError(`${name}: the result would be too long`);
}

function replace(old: string, by: string, whole: string): string {
  const parts = whole.split(old);
  bounded(whole.length + parts.length * by.length, 'replace');
  return old === '' ? `${by}${[...whole].map((char) => `${char}${by}`).join('')}` : parts.join(by);
}

function join(separator: string, list: readonly Value[]): string {
  const parts = list.map(formatValue);
  bounded(
    parts.reduce((sum, part) => sum + part.length + separator.length, 0),
    'join',
  );
  return parts.join(separator);
}

function splitList(separator: string, whole: string): readonly Value[] {
  const parts = separator === '' ? [...whole] : whole.split(separator);
  if (parts.length > MOST_ITEMS) throw new FunctionError(`splitList: more than ${MOST_ITEMS} parts`);
  return parts;
}

function repeat(times: Value, value: Value): string {
  const [number, source] = [count(times, 'repeat'), text(value, 'repeat')];
  if (number < 0) throw new FunctionError('repeat: a negative count');
  bounded(number * source.length, 'repeat');
  return source.repeat(number);
}

/** A single value becomes a list of one; nil is dropped. */
const listOf = (value: Value): readonly Value[] =>
  (isList(value) ? value : [value]).filter((each) => each !== undefined);

export const FUNCTIONS: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ['not', exactly('not', 1, (value) => !isTrue(value))],
  ['index', atLeast('index', 1, indexInto)],
  ['slice', atLeast('slice', 1, slice)],
  ['len', exactly('len', 1, length)],
  ['print', (values) => sprint(values)],
  ['println', (values) => `${values.map(formatValue).join(' ')}\n`],
  [
    'printf',
    metered('printf', 1, ([format, ...values], meter) => sprintf(text(format, 'printf'), values, meter)),
  ],
  ['html', (values) => evaluated(values).replace(/[\0"'&<>]/g, (char) => HTML[char] ?? char)],
  ['js', (values) => escapeJs(evaluated(values))],
  ['urlquery', (values) => escapeQuery(evaluated(values))],
  ['eq', atLeast('eq', 1, equal)],
  ['ne', exactly('ne', 2, (one, other) => !equal(one, other))],
  ['lt', exactly('lt', 2, (one, other) => compare(one, other) < 0)],
  ['le', exactly('le', 2, (one, other) => compare(one, other) <= 0)],
  ['gt', exactly('gt', 2, (one, other) => compare(one, other) > 0)],
  ['ge', exactly('ge', 2, (one, other) => compare(one, other) >= 0)],
  ['upper', strings(upper)('upper')],
  ['lower', strings(lower)('lower')],
  ['title', strings(title)('title')],
  ['trim', strings(trimSpace)('trim')],
  [
    'trimPrefix',
    exactly('trimPrefix', 2, (prefix, value) => {
      const [cut, whole] = [text(prefix, 'trimPrefix'), text(value, 'trimPrefix')];
      return whole.startsWith(cut) ? whole.slice(cut.length) : whole;
    }),
  ],
  [
    'trimSuffix',
    exactly('trimSuffix', 2, (suffix, value) => {
      const [cut, whole] = [text(suffix, 'trimSuffix'), text(value, 'trimSuffix')];
      return cut !== '' && whole.endsWith(cut) ? whole.slice(0, -cut.length) : whole;
    }),
  ],
  ['trunc', exactly('trunc', 2, (length, value) => truncate(count(length, 'trunc'), text(value, 'trunc')))],
  [
    'replace',
    exactly('replace', 3, (old, by, value) =>
      replace(text(old, 'replace'), text(by, 'replace'), text(value, 'replace')),
    ),
  ],
  [
    'contains',
    exactly('contains', 2, (part, value) => text(value, 'contains').includes(text(part, 'contains'))),
  ],
  [
    'hasPrefix',
    exactly('hasPrefix', 2, (prefix, value) =>
      text(value, 'hasPrefix').startsWith(text(prefix, 'hasPrefix')),
    ),
  ],
  [
    'hasSuffix',
    exactly('hasSuffix', 2, (suffix, value) => text(value, 'hasSuffix').endsWith(text(suffix, 'hasSuffix'))),
  ],
  ['repeat', exactly('repeat', 2, repeat)],
  [
    'quote',
    (values) =>
      values
        .filter((value) => value !== undefined)
        .map((value) => quote(formatValue(value)))
        .join(' '),
  ],
  [
    'squote',
    (values) =>
      values
        .filter((value) => value !== undefined)
        .map((value) => `'${formatValue(value)}'`)
        .join(' '),
  ],
  ['default', atLeast('default', 1, (fallback, value) => (isTrue(value) ? value : fallback))],
  ['join', exactly('join', 2, (separator, list) => join(text(separator, 'join'), listOf(list)))],
  [
    'splitList',
    exactly('splitList', 2, (separator, value) =>
      splitList(text(separator, 'splitList'), text(value, 'splitList')),
    ),
  ],
  ['toJson', exactly('toJson', 1, toJson)],
]);

/** Short-circuiting: the executor evaluates their arguments one by one. */
export const SHORT_CIRCUIT: ReadonlySet<string> = new Set(['and', 'or']);

export const FUNCTION_NAMES: ReadonlySet<string> = new Set([...FUNCTIONS.keys(), ...SHORT_CIRCUIT]);
