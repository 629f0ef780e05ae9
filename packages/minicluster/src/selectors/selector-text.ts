/** A LabelSelector object in the syntax of query parameters, and what it selects. */
import type { Labels } from './label-selector.ts';

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly Expression[];
}

export function selectorText(selector: LabelSelector): string {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  const others = (selector.matchExpressions ?? []).map((expression) => ({
    key: expression.key,
    text: expressionText(expression),
  }));
  return [...equal, ...others]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',');
}

function expressionText({ key, operator, values = [] }: Expression): string {
  const list = `(${[...values].sort().join(',')})`;
  if (operator === 'In') return `${key} in ${list}`;
  if (operator === 'NotIn') return `${key} notin ${list}`;
  return operator === 'Exists' ? key : `!${key}`;
}

/** An empty selector selects everything; an absent one nothing. */
export function selectsLabels(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => labels?.[key] === value) &&
    matchExpressions.every((expression) => expressionHolds(expression, labels))
  );
}

function expressionHolds({ key, operator, values = [] }: Expression, labels: Labels): boolean {
  const value = labels?.[key];
  if (operator === 'In') return value !== undefined && values.includes(value);
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  return (operator === 'Exists') === (value !== undefined);
}
