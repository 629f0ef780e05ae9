/** Label maps and label selectors inside objects (`spec.selector`): validation and matching. */
import { array, type Fields, isRecord, record, records, strings, text } from '../fields.ts';
import type { Field } from './field.ts';
import { Struct } from './go-format.ts';
import { labelValue, qualifiedName } from './names.ts';

export function validateLabels(labels: Field): void {
  for (const [key, value] of Object.entries(strings(labels.value))) {
    labels.invalidAll(qualifiedName(key), key);
    labels.invalidAll(labelValue(value), value);
  }
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

export function validateLabelSelector(selector: Field): void {
  validateLabels(selector.child('matchLabels'));
  for (const requirement of selector.child('matchExpressions').items()) {
    const operator = requirement.child('operator');
    const values = requirement.child('values');
    if (operator.text === 'In' || operator.text === 'NotIn') {
      if (values.count === 0) values.required("must be specified when `operator` is 'In' or 'NotIn'");
    } else if (OPERATORS.includes(operator.text)) {
      if (values.count > 0)
        values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else {
      operator.invalid('not a valid selector operator', operator.text);
    }
    const key = requirement.child('key');
    key.invalidAll(qualifiedName(key.text), key.text);
    for (const value of values.items()) value.invalidAll(labelValue(value.text));
  }
}

/** Whether the server can build a matcher from it at all. */
export function isUsableSelector(selector: unknown): boolean {
  return records(record(selector).matchExpressions).every((requirement) => {
    const operator = text(requirement.operator);
    if (!OPERATORS.includes(operator) || qualifiedName(text(requirement.key)).length > 0) return false;
    const count = array(requirement.values).length;
    return operator === 'In' || operator === 'NotIn' ? count > 0 : count === 0;
  });
}

export function isEmptySelector(selector: unknown): boolean {
  const { matchLabels, matchExpressions } = record(selector);
  return Object.keys(record(matchLabels)).length === 0 && array(matchExpressions).length === 0;
}

/** An absent selector matches nothing, an empty one everything. */
export function selectorMatches(selector: unknown, labels: Readonly<Record<string, string>>): boolean {
  if (!isRecord(selector)) return false;
  for (const [key, value] of Object.entries(strings(selector.matchLabels)))
    if (labels[key] !== value) return false;
  return records(selector.matchExpressions).every((requirement) => meets(requirement, labels));
}

function meets(requirement: Fields, labels: Readonly<Record<string, string>>): boolean {
  const key = text(requirement.key);
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && array(requirement.values).includes(value);
    case 'NotIn':
      return value === undefined || !array(requirement.values).includes(value);
    case 'Exists':
      return value !== undefined;
    default:
      return value === undefined;
  }
}

/** `app=web,tier in (a,b)`: the text of `kubectl get -o wide`. An empty selector gives an empty text. */
export function selectorText(selector: unknown): string {
  const { matchLabels, matchExpressions } = record(selector);
  const parts = Object.entries(strings(matchLabels)).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  for (const requirement of records(matchExpressions)) {
    const key = text(requirement.key);
    const values = `(${array(requirement.values).map(String).sort().join(',')})`;
    const shown: Record<string, string> = {
      In: `${key} in ${values}`,
      NotIn: `${key} notin ${values}`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    parts.push({ key, text: shown[text(requirement.operator)] ?? key });
  }
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map((part) => part.text)
    .join(',');
}

/** A selector as printed in messages. */
export const printableSelector = (selector: unknown): unknown =>
  isRecord(selector)
    ? new Struct({ matchLabels: selector.matchLabels, matchExpressions: selector.matchExpressions })
    : null;
