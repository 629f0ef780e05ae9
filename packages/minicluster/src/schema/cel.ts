/**
 * CEL validation rules (`x-kubernetes-validations`) of custom resources.
 *
 * Rules are type-checked against the schema, as a server does when a CRD is created, and run on every write. Rules
 * that need functions missing in the CEL library (see `cel/environment.ts`) are not checked: `skipped` lists them
 * with the reason. Costs are not estimated: a rule that a server refuses as too expensive is accepted here.
 */
import type { FieldError } from '../model/status.ts';
import { compileRulesAt } from './cel/compile.ts';
import { type RuleNode, runRules } from './cel/run.ts';
import type { JsonRecord } from './json.ts';
import type { Schema } from './schema.ts';

export interface CompiledRules {
  /** With paths relative to the schema: the errors for which a server would refuse the CRD. */
  readonly errors: readonly FieldError[];
  /** Warnings about rules that are not checked. */
  readonly skipped: readonly string[];
  readonly root?: RuleNode;
}

/** Cache the result with the schema: compiling takes milliseconds, running microseconds. */
export function compileRules(schema: Schema): CompiledRules {
  const errors: FieldError[] = [];
  const skipped: string[] = [];
  const visit = (at: Schema, path: string, uncorrelatable: string | undefined): RuleNode | undefined => {
    const compiled = compileRulesAt(at, path, path === '', uncorrelatable);
    errors.push(...compiled.errors);
    skipped.push(...compiled.skipped);
    const join = (step: string): string => (path ? `${path}.${step}` : step);
    const properties = new Map<string, RuleNode>();
    for (const [name, property] of Object.entries(at.properties ?? {})) {
      const node = visit(property, join(`properties[${name}]`), uncorrelatable);
      if (node) properties.set(name, node);
    }
    const { additionalProperties, items } = at;
    const values =
      typeof additionalProperties === 'object'
        ? visit(additionalProperties, join('additionalProperties'), uncorrelatable)
        : undefined;
    const hasIdentity = at['x-kubernetes-list-type'] === 'map';
    const itemNode = items && visit(items, join('items'), uncorrelatable ?? (hasIdentity ? undefined : path));
    if (compiled.rules.length === 0 && properties.size === 0 && !values && !itemNode) return undefined;
    return {
      schema: at,
      rules: compiled.rules,
      properties,
      ...(values && { values }),
      ...(itemNode && { items: itemNode }),
    };
  };
  const root = visit(schema, '', undefined);
  return { errors, skipped, ...(root && { root }) };
}

/** The rules' errors for an object that passes the schema. */
export function validateRules(
  object: JsonRecord,
  old: JsonRecord | undefined,
  { root }: CompiledRules,
): FieldError[] {
  return root ? runRules(object, old, root) : [];
}
