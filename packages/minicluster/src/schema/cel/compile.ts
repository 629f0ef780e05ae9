/** Compiles the rules of a schema, and reports invalid ones and those that cannot run here. */
import type { Environment, ParseResult } from '@marcbachmann/cel-js';
import type { FieldError } from '../../model/status.ts';
import { goJson } from '../json.ts';
import type { Schema, ValidationRule } from '../schema.ts';
import { notSupported } from '../structural/errors.ts';
import { newEnvironment } from './environment.ts';
import { isFieldPath } from './field-path.ts';
import { explain } from './problems.ts';
import { anchor, nodes, pointAt, uses, usingSafePatterns } from './source.ts';
import { declareType } from './types.ts';

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** A transition rule: it does not run on create. */
  readonly isTransition: boolean;
  readonly run: ParseResult;
  readonly describe?: ParseResult;
}

export interface RuleCompilation {
  readonly rules: readonly CompiledRule[];
  readonly errors: readonly FieldError[];
  readonly skipped: readonly string[];
}

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** `path` is the schema's; `uncorrelatable` is the list whose items have no identity, if any. */
export function compileRulesAt(
  schema: Schema,
  path: string,
  isRoot: boolean,
  uncorrelatable: string | undefined,
): RuleCompilation {
  const rules: CompiledRule[] = [];
  const errors: FieldError[] = [];
  const skipped: string[] = [];
  const compiler = new Compiler(schema, isRoot);
  (schema['x-kubernetes-validations'] ?? []).forEach((rule, index) => {
    const at = `${path}${path ? '.' : ''}x-kubernetes-validations[${index}]`;
    const problems = checkTexts(rule, at, schema);
    errors.push(...problems);
    if (problems.length > 0) return;
    const compiled = compiler.compile(rule, at, uncorrelatable);
    if ('run' in compiled) rules.push(compiled);
    else if ('unsupported' in compiled) {
      skipped.push(
        `minicluster does not check the rule ${JSON.stringify(rule.rule)}: it has no CEL function ${compiled.unsupported}`,
      );
    } else errors.push(...compiled.errors);
  });
  return { rules, errors, skipped };
}

function checkTexts(rule: ValidationRule, at: string, schema: Schema): FieldError[] {
  const errors: FieldError[] = [];
  const invalid = (field: string, value: unknown, why: string): void => {
    errors.push({
      reason: 'FieldValueInvalid',
      field: `${at}.${field}`,
      message: `Invalid value: ${goJson(value)}: ${why}`,
    });
  };
  const required = (field: string, why: string): void => {
    errors.push({ reason: 'FieldValueRequired', field: `${at}.${field}`, message: `Required value: ${why}` });
  };
  if (!rule.rule?.trim()) required('rule', 'rule is not specified');
  if (rule.message) {
    if (!rule.message.trim()) invalid('message', rule.message, 'must be non-empty if specified');
    else if (/[\n\r]/.test(rule.message)) invalid('message', rule.message, 'must not contain line breaks');
  } else if (/[\n\r]/.test(rule.rule ?? '') && !rule.messageExpression) {
    required('message', 'message must be specified if rule contains line breaks');
  }
  if (rule.reason && !REASONS.includes(rule.reason)) {
    errors.push(notSupported(`${at}.reason`, rule.reason, REASONS));
  }
  if (rule.fieldPath && !isFieldPath(rule.fieldPath, schema)) {
    invalid('fieldPath', rule.fieldPath, 'must be a valid path');
  }
  return errors;
}

type Outcome = CompiledRule | { readonly unsupported: string } | { readonly errors: FieldError[] };

/** Two environments: one with types to check, one without to run. */
class Compiler {
  readonly #schema: Schema;
  readonly #isRoot: boolean;
  #typed: { self: string; env: Environment } | undefined;
  #known: ReadonlySet<string> | undefined;

  constructor(schema: Schema, isRoot: boolean) {
    this.#schema = schema;
    this.#isRoot = isRoot;
  }

  compile(rule: ValidationRule, at: string, uncorrelatable: string | undefined): Outcome {
    const fail = (field: string, value: unknown, why: string): Outcome => ({
      errors: [
        {
          reason: 'FieldValueInvalid',
          field: `${at}.${field}`,
          message: `Invalid value: ${goJson(value)}: ${why}`,
        },
      ],
    });
    const checked = this.#check(rule.rule, rule);
    if ('unsupported' in checked) return checked;
    if ('problem' in checked)
      return fail('rule', internalForm(rule), `compilation failed: ${checked.problem}`);
    if (checked.type !== 'bool' && checked.type !== 'dyn') {
      return fail('rule', internalForm(rule), 'cel expression must evaluate to a bool');
    }
    const isTransition = uses(checked.run.ast, 'oldSelf');
    if (rule.optionalOldSelf && !isTransition) {
      return fail('optionalOldSelf', true, 'may not be set if oldSelf is not used in rule');
    }
    if (isTransition && uncorrelatable !== undefined) {
      const where = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      return fail('rule', rule.rule, where);
    }
    const compiled = { rule, isTransition: isTransition && !rule.optionalOldSelf, run: checked.run };
    if (!rule.messageExpression) return compiled;
    const message = this.#check(rule.messageExpression, rule);
    if ('unsupported' in message) return message;
    if ('problem' in message) {
      return fail(
        'messageExpression',
        internalForm(rule),
        `messageExpression compilation failed: ${message.problem}`,
      );
    }
    if (message.type !== 'string' && message.type !== 'dyn') {
      return fail('messageExpression', internalForm(rule), 'messageExpression must evaluate to a string');
    }
    return { ...compiled, describe: message.run };
  }

  #check(
    source: string,
    { optionalOldSelf }: ValidationRule,
  ): { type: string; run: ParseResult } | { problem: string } | { unsupported: string } {
    this.#typed ??= this.#declare();
    const { self, env } = this.#typed;
    const typed = env.clone().registerVariable('oldSelf', optionalOldSelf ? `optional<${self}>` : self);
    const result = typed.check(source);
    if (result.error) {
      this.#known ??= new Set(typed.getDefinitions().functions.map(({ name }) => name));
      const problem = explain(result.error, source, this.#known);
      return problem.kind === 'invalid'
        ? { problem: problem.message }
        : { unsupported: problem.functionName };
    }
    const absent = undeclaredInHas(source, typed);
    if (absent !== undefined) return { problem: absent };
    const runtime = newEnvironment()
      .registerVariable('self', 'dyn')
      .registerVariable('oldSelf', optionalOldSelf ? 'optional<dyn>' : 'dyn');
    const { ast } = runtime.parse(source);
    return { type: result.type ?? 'dyn', run: runtime.parse(usingSafePatterns(source, ast)) };
  }

  #declare(): { self: string; env: Environment } {
    const env = newEnvironment();
    const self = declareType(env, this.#schema, 'selfType', this.#isRoot);
    return { self, env: env.registerVariable('self', self) };
  }
}

/** The library accepts `has(self.typo)`; the server does not. */
function undeclaredInHas(source: string, typed: Environment): string | undefined {
  for (const node of nodes(typed.parse(source).ast)) {
    if (node.op !== 'call' || node.args[0] !== 'has') continue;
    const [field] = node.args[1];
    const error = field && typed.check(source.slice(field.range.start, field.range.end)).error;
    if (error?.code !== 'no_such_key') continue;
    return pointAt(`undefined field '${error.summary.replace(/^.*: /, '')}'`, source, anchor(node, source));
  }
  return undefined;
}

/** The rule as printed by the server's internal type. */
function internalForm(rule: ValidationRule): object {
  return {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}
