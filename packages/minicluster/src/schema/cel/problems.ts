/** Compilation errors of a rule, in the server's words where it has any. */
import type { ASTNode, TypeCheckResult } from '@marcbachmann/cel-js';
import { MISSING_FUNCTIONS, PATTERN_FUNCTION } from './environment.ts';
import { anchor, nodes, pointAt } from './source.ts';

export type Problem =
  | { readonly kind: 'invalid'; readonly message: string }
  /** A real server could run it. */
  | { readonly kind: 'unsupported'; readonly functionName: string };

type CheckError = NonNullable<TypeCheckResult['error']>;

export function explain(error: CheckError, source: string, known: ReadonlySet<string>): Problem {
  const { node, range } = error;
  const start = range?.start ?? 0;
  const point = (what: string, offset: number): Problem => ({
    kind: 'invalid',
    message: pointAt(what, source, offset),
  });
  const ast = node?.op === undefined ? undefined : (node as ASTNode);
  switch (error.code) {
    case 'no_such_key':
      return point(`undefined field '${error.summary.replace(/^.*: /, '')}'`, start - 1);
    case 'unknown_variable': {
      const name = error.summary.replace(/^.*: /, '');
      if (MISSING_FUNCTIONS.has(name)) return { kind: 'unsupported', functionName: name };
      return point(`undeclared reference to '${name}' (in container '')`, start);
    }
    case 'no_such_overload':
      return point(overload(error.summary), ast ? operatorAt(ast, source) : start);
    case 'no_matching_overload':
      return explainCall(error, source, known, point);
    case 'invalid_logical_operand':
      return point(
        `expected type 'bool' but found '${typeIn(error.summary)}'`,
        operandAt(ast, source, start),
      );
    default:
      return point(error.code.includes('token') ? `Syntax error: ${error.summary}` : error.summary, start);
  }
}

function explainCall(
  error: CheckError,
  source: string,
  known: ReadonlySet<string>,
  point: (what: string, offset: number) => Problem,
): Problem {
  const [, receiver, name = '', args = ''] = /for '(?:(.*)\.)?(\w+)\((.*)\)'$/.exec(error.summary) ?? [];
  const called = name === PATTERN_FUNCTION ? 'matches' : name;
  if (MISSING_FUNCTIONS.has(called)) return { kind: 'unsupported', functionName: called };
  const ast = error.node?.op === undefined ? undefined : (error.node as ASTNode);
  const offset = ast ? anchor(ast, source) : (error.range?.start ?? 0);
  if (!known.has(name)) return point(`undeclared reference to '${called}' (in container '')`, offset);
  const types = `${receiver === undefined ? '' : `${celType(receiver)}.`}(${args.split(', ').map(celType).join(', ')})`;
  return point(`found no matching overload for '${called}' applied to '${types}'`, offset);
}

/** `int > string` → how the server names the operator and its operands. */
function overload(summary: string): string {
  const text = summary.replace(/^no such overload: /, '');
  const [, left, operator, right] = /^(.+) (==|!=|<=|>=|<|>|\+|-|\*|\/|%|in) (.+)$/.exec(text) ?? [];
  if (left !== undefined && right !== undefined) {
    return `found no matching overload for '_${operator}_' applied to '(${celType(left)}, ${celType(right)})'`;
  }
  const [, unary, operand = ''] = /^([!-])(.+)$/.exec(text) ?? [];
  return `found no matching overload for '${unary}_' applied to '(${celType(operand)})'`;
}

function celType(name: string): string {
  return name
    .replace(/list<(.*)>/, 'list($1)')
    .replace(/map<(.*)>/, 'map($1)')
    .replace(/optional<(.*)>/, 'optional_type($1)');
}

function typeIn(summary: string): string {
  return celType(/got '([^']+)'/.exec(summary)?.[1] ?? 'dyn');
}

function operatorAt(node: ASTNode, source: string): number {
  return anchor(node, source);
}

/** The operand that is no boolean: the last one checked. */
function operandAt(node: ASTNode | undefined, source: string, fallback: number): number {
  if (!node) return fallback;
  const [last] = [...nodes(node.args)].filter((each) => each.range.end === node.range.end);
  return last ? anchor(last, source) : fallback;
}
