/**
 * Recognises templates that only print fields, and renders them without a thread.
 *
 * In: templates of users. Out: their texts, or undefined if they belong into the thread: they loop, call functions, are
 * long, fail, or handle much data. What is left costs some microseconds, less than a message to a thread, which a
 * controller would otherwise wait for two thousand times for two thousand pods.
 */
import { TemplateError } from './error.ts';
import { FUNCTION_NAMES } from './functions.ts';
import { parse } from './parse.ts';
import { type RenderRequest, renderAll } from './render.ts';
import type { Node, Operand, Pipeline } from './tree.ts';

/** For all templates of a request together. */
const LONGEST = 2_000;
const MOST_NODES = 100;
/** In characters, as the meter counts them. */
const MOST_WORK = 40_000;
const MOST_KNOWN = 100;

/** By text: the number of nodes, Infinity for a template that is not plain. */
const known = new Map<string, number>();

export function renderPlain(request: Omit<RenderRequest, 'shape'>): string[] | undefined {
  let length = 0;
  let nodes = 0;
  for (const [, source] of request.templates) {
    length += source.length;
    if (length > LONGEST) return undefined;
    nodes += sizeOf(source);
    if (nodes > MOST_NODES) return undefined;
  }
  try {
    return renderAll(request, MOST_WORK);
  } catch (error) {
    // The thread has a larger budget; and if that is not the reason, it says the same again.
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

function sizeOf(source: string): number {
  let size = known.get(source);
  if (size === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    size = measure(source);
    known.set(source, size);
  }
  return size;
}

function measure(source: string): number {
  try {
    const { root, definitions } = parse('', source, FUNCTION_NAMES);
    return definitions.size > 0 ? Infinity : nodesIn(root);
  } catch (error) {
    if (error instanceof TemplateError) return Infinity;
    throw error;
  }
}

function nodesIn(nodes: readonly Node[]): number {
  let count = 0;
  for (const node of nodes) {
    if (node.kind === 'text') count += 1;
    else if (node.kind === 'action') count += inPipeline(node.pipeline);
    else if (node.kind === 'if' || node.kind === 'with')
      count += inPipeline(node.pipeline) + nodesIn(node.body) + nodesIn(node.otherwise);
    else return Infinity;
  }
  return count;
}

/** One value: a field, a constant, or an element by `index`. */
function inPipeline({ variables, commands: [command, ...more] }: Pipeline): number {
  if (!command || more.length > 0 || variables.length > 0) return Infinity;
  const [first, ...rest] = command.operands;
  const isIndex = first?.kind === 'function' && first.name === 'index';
  if (!first || (rest.length > 0 && !isIndex)) return Infinity;
  let count = 1;
  for (const operand of isIndex ? rest : command.operands) count += inOperand(operand);
  return count;
}

function inOperand(operand: Operand): number {
  if (operand.kind === 'chain') return 1 + inPipeline(operand.pipeline);
  return operand.kind === 'function' ? Infinity : 1;
}
