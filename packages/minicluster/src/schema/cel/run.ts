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
  visit(object, old, root, '', errors);
  return errors;
}

function visit(value: unknown, old: unknown, node: RuleNode, path: string, errors: FieldError[]): void {
  if (value === null || value === undefined) return;
  if (node.rules.length > 0) runAt(value, old, node, path, errors);
  if (Array.isArray(value)) {
    const { items } = node;
    if (!items) return;
    for (const [index, item] of value.entries()) {
      visit(item, counterpart(item, old, node), items, `${path}[${index}]`, errors);
    }
  } else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      const before = isRecord(old) ? own(old, key) : undefined;
      const property = node.properties.get(key);
      if (property) visit(value[key], before, property, path ? `${path}.${key}` : key, errors);
      else if (node.values) visit(value[key], before, node.values, `${path}[${key}]`, errors);
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

function runAt(value: unknown, old: unknown, node: RuleNode, path: string, errors: FieldError[]): void {
  const isRoot = path === '';
  const isUnchanged = old !== undefined && deepEqual(old, value);
  const self = toCel(value, node.schema, isRoot);
  const before = old === undefined ? undefined : toCel(old, node.schema, isRoot);
  for (const compiled of node.rules) {
    const { rule, isTransition } = compiled;
    if (isTransition && before === undefined) continue;
    const comparesWithOld = isTransition || rule.optionalOldSelf === true;
    // Ratcheting: a value that was stored before the rule existed may stay while it is unchanged.
    if (isUnchanged && !comparesWithOld) continue;
    const context = {
      self,
      oldSelf: rule.optionalOldSelf
        ? before === undefined
          ? Optional.none()
          : Optional.of(before)
        : (before ?? null),
    };
    const error = runRule(compiled, context, value, path);
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
): FieldError | undefined {
  const { rule } = compiled;
  try {
    if (compiled.run(context) === true) return undefined;
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
