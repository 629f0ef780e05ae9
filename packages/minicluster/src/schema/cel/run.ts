/** Runs compiled rules on every matching part of an object. */
import { Optional } from '@marcbachmann/cel-js';
import type { FieldError } from '../../model/status.ts';
import { deepEqual, isRecord, jsonTypeOf, own } from '../json.ts';
import type { Schema } from '../schema.ts';
import { printValue } from '../structural/errors.ts';
import type { CompiledRule } from './compile.ts';
import { parseFieldPath } from './field-path.ts';
import { toCel } from './values.ts';

/** A part of the schema with rules, or with parts that have them. */
export interface RuleNode {
  readonly schema: Schema;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly values?: RuleNode;
  readonly items?: RuleNode;
}

export function runRules(object: unknown, old: unknown, root: RuleNode): FieldError[] {
  const errors: FieldError[] = [];
  visit({ value: object, old, isWithinUnchanged: false }, root, '', errors);
  return errors;
}

/** One part of the object. */
interface Part {
  readonly value: unknown;
  /** Its previous value; undefined if there is none, or if it cannot be told, as in a list without keys. */
  readonly old: unknown;
  /** A part that it belongs to is unchanged, and with it this one. */
  readonly isWithinUnchanged: boolean;
}

function visit(part: Part, node: RuleNode, path: string, errors: FieldError[]): void {
  const { value, old } = part;
  if (value === null || value === undefined) return;
  const isUnchanged = part.isWithinUnchanged || (old !== undefined && deepEqual(old, value));
  if (node.rules.length > 0) runAt(part, isUnchanged, node, path, errors);
  const inner = (child: unknown, before: unknown): Part => ({
    value: child,
    old: before,
    isWithinUnchanged: isUnchanged,
  });
  if (Array.isArray(value)) {
    const { items } = node;
    if (!items) return;
    for (const [index, item] of value.entries()) {
      visit(inner(item, counterpart(item, old, node)), items, `${path}[${index}]`, errors);
    }
  } else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      const before = isRecord(old) ? own(old, key) : undefined;
      const property = node.properties.get(key);
      if (property) visit(inner(value[key], before), property, path ? `${path}.${key}` : key, errors);
      else if (node.values) visit(inner(value[key], before), node.values, `${path}[${key}]`, errors);
    }
  }
}

/** The previous value of an item in a keyed list. */
function counterpart(item: unknown, old: unknown, { schema }: RuleNode): unknown {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-list-type'] !== 'map' || !keys || !Array.isArray(old) || !isRecord(item))
    return undefined;
  return old.find(
    (each: unknown) => isRecord(each) && keys.every((key) => deepEqual(own(each, key), own(item, key))),
  );
}

function runAt(
  { value, old }: Part,
  isUnchanged: boolean,
  node: RuleNode,
  path: string,
  errors: FieldError[],
): void {
  const isRoot = path === '';
  const self = toCel(value, node.schema, isRoot);
  const before = old === undefined ? undefined : toCel(old, node.schema, isRoot);
  for (const compiled of node.rules) {
    const { rule, isTransition } = compiled;
    if (isTransition && before === undefined) continue;
    const comparesWithOld = isTransition || rule.optionalOldSelf === true;
    const context = {
      self,
      oldSelf: rule.optionalOldSelf
        ? before === undefined
          ? Optional.none()
          : Optional.of(before)
        : (before ?? null),
    };
    // Ratcheting: a value that was stored before the rule existed may stay while it is unchanged, unless the rule cannot
    // be evaluated.
    const error = runRule(compiled, context, value, path, isUnchanged && !comparesWithOld);
    if (error) errors.push(error);
  }
}

interface Context extends Record<string, unknown> {
  readonly self: unknown;
  readonly oldSelf: unknown;
}

function runRule(
  compiled: CompiledRule,
  context: Context,
  value: unknown,
  path: string,
  mayStay: boolean,
): FieldError | undefined {
  const { rule } = compiled;
  try {
    if (compiled.run(context) === true || mayStay) return undefined;
  } catch (error) {
    const message = `${reasonOf(error)} evaluating rule: ${rule.message || rule.rule}`;
    return {
      reason: 'FieldValueInvalid',
      field: path || '<nil>',
      message: `Invalid value: ${JSON.stringify(jsonTypeOf(value))}: ${message}`,
    };
  }
  return failure(compiled, context, value, path);
}

function failure(compiled: CompiledRule, context: Context, value: unknown, path: string): FieldError {
  const { rule } = compiled;
  const field = withFieldPath(path, rule.fieldPath);
  const detail = describe(compiled, context);
  switch (rule.reason) {
    case 'FieldValueRequired':
      return { reason: 'FieldValueRequired', field, message: `Required value: ${detail}` };
    case 'FieldValueForbidden':
      return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` };
    case 'FieldValueDuplicate':
      return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${printValue(value)}` };
    default: {
      const shown = typeof value === 'object' ? '' : `${printValue(value)}: `;
      return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown}${detail}` };
    }
  }
}

function withFieldPath(path: string, fieldPath: string | undefined): string {
  const names = fieldPath ? (parseFieldPath(fieldPath) ?? []) : [];
  return [path, ...names].filter((part) => part !== '').join('.') || '<nil>';
}

function describe({ rule, describe: expression }: CompiledRule, context: Context): string {
  if (expression) {
    try {
      const text: unknown = expression(context);
      if (typeof text === 'string' && text.trim() !== '' && !text.includes('\n')) return text;
    } catch {
      // If a messageExpression fails, the error is still reported.
    }
  }
  return rule.message || `failed rule: ${rule.rule.trim()}`;
}

function reasonOf(error: unknown): string {
  const { summary, message } = error as { summary?: string; message: string };
  const text = summary ?? message;
  return text.replace(/^No such key:/, 'no such key:');
}
