/** Prints values as Go's fmt does with %v, in `print`, and as the result of an action. */
import { general } from './float.ts';
import { isList, keysOf, type Value } from './values.ts';

/** The output of an action: nil is printed as `<no value>`. */
export function printAction(value: Value): string {
  return value === undefined ? '<no value>' : formatValue(value);
}

/** `%v`. */
export function formatValue(value: Value): string {
  if (value === undefined) return '<nil>';
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return formatFloat(value);
  if (isList(value)) return `[${value.map(formatValue).join(' ')}]`;
  return `map[${keysOf(value)
    .map((key) => `${key}:${formatValue(value[key])}`)
    .join(' ')}]`;
}

/** `%v` of a float64: the shortest digits, with an exponent from 1e+06 on and below 1e-04. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return `${sign}${general(value, undefined)}`;
}

/** Go's fmt.Sprint: a space between operands when neither is a string. */
export function sprint(values: readonly Value[]): string {
  let text = '';
  values.forEach((value, index) => {
    const before = values[index - 1];
    const bothPlain = index > 0 && typeof value !== 'string' && typeof before !== 'string';
    text += `${bothPlain ? ' ' : ''}${formatValue(value)}`;
  });
  return text;
}
