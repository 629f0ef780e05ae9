/** A rule's text: redirects calls of `matches` to RE2, and formats errors as the server does. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { PATTERN_FUNCTION } from './environment.ts';

/** Every node below and including `node`. */
export function* nodes(node: unknown): Generator<ASTNode> {
  if (Array.isArray(node)) {
    for (const child of node) yield* nodes(child);
  } else if (isNode(node)) {
    yield node;
    yield* nodes(node.args);
  }
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'range' in value;
}

/** `source` with every call of `matches` replaced by ours, which is as long. */
export function usingSafePatterns(source: string, ast: ASTNode): string {
  let result = source;
  for (const node of nodes(ast)) {
    if (node.op !== 'rcall' || node.args[0] !== 'matches') continue;
    const at = source.indexOf('matches', node.args[1].range.end);
    result = result.slice(0, at) + PATTERN_FUNCTION + result.slice(at + PATTERN_FUNCTION.length);
  }
  return result;
}

export function uses(ast: ASTNode, variable: string): boolean {
  for (const node of nodes(ast)) if (node.op === 'id' && node.args === variable) return true;
  return false;
}

/** The server's position of an expression: its operator, dot or parenthesis, not its start. */
export function anchor(node: ASTNode, source: string): number {
  switch (node.op) {
    case '.':
      return source.indexOf('.', node.args[0].range.end);
    case 'rcall':
      return source.indexOf('(', node.args[1].range.end);
    case 'call':
      return source.indexOf('(', node.range.start);
    case '?:':
      return source.indexOf('?', node.args[0].range.end);
    case '[]':
      return source.indexOf('[', node.args[0].range.end);
    case 'id':
    case 'value':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
    case '.?':
    case '[?]':
      return node.range.start;
    default:
      return source.indexOf(node.op, node.args[0].range.end);
  }
}

/** `ERROR: <input>:1:5: WHAT`, with the line and an arrow to the place. */
export function pointAt(what: string, source: string, offset: number): string {
  const before = source.slice(0, offset).split('\n');
  const line = source.split('\n')[before.length - 1] ?? '';
  const column = (before.at(-1)?.length ?? 0) + 1;
  const dots = '.'.repeat(column - 1);
  return `ERROR: <input>:${before.length}:${column}: ${what}\n | ${line}\n | ${dots}^`;
}
