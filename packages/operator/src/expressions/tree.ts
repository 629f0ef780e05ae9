/** The tree of a parsed expression: its nodes, and which of them are macros. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { LIMITS } from './limits.ts';
import { ExpressionError } from './problem.ts';

const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** `node` and every node below it. */
export function* nodesOf(node: unknown): Generator<ASTNode> {
  if (Array.isArray(node)) {
    for (const child of node) yield* nodesOf(child);
  } else if (isNode(node)) {
    yield node;
    yield* nodesOf(node.args);
  }
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'range' in value;
}

export type Macro = Extract<ASTNode, { op: 'rcall' }>;

export function isMacro(node: ASTNode): node is Macro {
  return node.op === 'rcall' && MACROS.has(node.args[0]) && node.args[2].length >= 2;
}

/** Each level of nested macros multiplies the work. */
export function checkMacros(ast: ASTNode): void {
  const nested = new Set<ASTNode>();
  for (const node of nodesOf(ast)) {
    if (node.op === 'rcall' && node.args[0] === 'bind') {
      throw new ExpressionError('cel.bind() is not available', node.range.start);
    }
    if (!isMacro(node)) continue;
    for (const inner of nodesOf(node.args[2])) {
      if (isMacro(inner)) nested.add(inner);
      if (nested.size > LIMITS.nestedMacros) {
        throw new ExpressionError('only one macro may stand inside of another one', inner.range.start);
      }
    }
  }
}
