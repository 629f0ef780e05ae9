/** Integers or percentages: maxSurge, maxUnavailable, minAvailable. */
import type { Field } from '../validate/field.ts';
import { percent } from '../validate/names.ts';

export function validateIntOrPercent(field: Field): void {
  if (typeof field.value === 'string') field.invalidAll(percent(field.value));
  else field.notNegative();
}

export function validateAtMost100Percent(field: Field): void {
  if (typeof field.value !== 'string' || percent(field.value).length > 0) return;
  if (Number.parseInt(field.value, 10) > 100) field.invalid('must not be greater than 100%');
}

/** The number, or the number before the percent sign; 0 if it is neither. */
export function amountOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return 0;
  const parsed = percent(value).length === 0 ? Number.parseInt(value, 10) : Number(value);
  return Number.isInteger(parsed) ? parsed : 0;
}
