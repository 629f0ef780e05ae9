/** Go's comparison functions: only values of one type can be compared, and nil equals only nil. */
import { isList, typeName, type Value } from './values.ts';

/** A function refused its arguments; the executor adds the place. */
export class FunctionError extends Error {
  override name = 'FunctionError';
}

export function equal(first: Value, ...others: readonly Value[]): boolean {
  if (others.length === 0) throw new FunctionError('missing argument for comparison');
  return others.some((other) => same(first, other));
}

function same(one: Value, other: Value): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (typeName(one) !== typeName(other)) throw new FunctionError('incompatible types for comparison');
  if (typeof one === 'object')
    throw new FunctionError(`non-comparable type ${isList(one) ? '[]' : 'map'}: ${typeName(one)}`);
  return one === other;
}

/** Negative, zero or positive. */
export function compare(one: Value, other: Value): number {
  for (const value of [one, other]) {
    if (value === undefined || typeof value === 'object')
      throw new FunctionError('invalid type for comparison');
  }
  if (typeName(one) !== typeName(other)) throw new FunctionError('incompatible types for comparison');
  if (typeof one === 'boolean') throw new FunctionError('invalid type for comparison');
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string));
  if ((one as number) < (other as number)) return -1;
  return (one as number) > (other as number) ? 1 : one === other ? 0 : Number.NaN;
}
