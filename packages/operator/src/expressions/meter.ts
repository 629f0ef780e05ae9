/**
 * Counts the work of an expression while it runs.
 *
 * In: the tree of a compiled expression, whose nodes it wraps once. Out: an `ExpressionError` from the node at which
 * the limit is reached. Guarantees: the same expression over the same data always ends at the same node, because work
 * is counted and no clock is read.
 */
import type { ASTNode } from '@marcbachmann/cel-js';
import { LIMITS } from './limits.ts';
import { ExpressionError } from './problem.ts';
import { isMacro, nodesOf } from './tree.ts';

type Run = (this: ASTNode, ...args: unknown[]) => unknown;

const CHARACTERS_A_STEP = 32;

/** Operators that pass a value on without processing it. */
const HANDING_ON: ReadonlySet<string> = new Set([
  '.',
  '.?',
  '[]',
  '[?]',
  'list',
  'map',
  '?:',
  '&&',
  '||',
  '!_',
]);

let running: Meter | undefined;

export class Meter {
  #steps = 0;
  #exhausted: ExpressionError | undefined;
  #weights = new WeakMap<object, number>();

  constructor(ast: ASTNode) {
    const weighed = new Set<ASTNode>();
    const walked = new Set<ASTNode>();
    for (const node of nodesOf(ast)) {
      if (isMacro(node)) walked.add(node.args[1]);
      else if (!HANDING_ON.has(node.op)) for (const child of childrenOf(node)) weighed.add(child);
    }
    for (const node of nodesOf(ast)) this.#wrap(node, weighed.has(node), walked.has(node));
  }

  /** Runs the expression with a full budget. */
  during<T>(run: () => T): T {
    this.#steps = 0;
    this.#exhausted = undefined;
    this.#weights = new WeakMap();
    running = this;
    try {
      return run();
    } finally {
      running = undefined;
    }
  }

  /** The steps that the last run took. */
  get steps(): number {
    return this.#steps;
  }

  /** Charges the running expression: expressions are synchronous, so at most one runs. */
  static spend(steps: number): void {
    if (running) running.#charge(steps);
  }

  /**
   * Operators like `||` and macros swallow errors of operands that they do not need; this error counts all the same.
   */
  get exhausted(): ExpressionError | undefined {
    return this.#exhausted;
  }

  /**
   * The library replaces `evaluate` of a node when it first runs: the setter stores that in `run`, and the wrapper
   * stays.
   */
  #wrap(node: ASTNode, isWeighed: boolean, isWalked: boolean): void {
    const target = node as unknown as { evaluate: Run };
    const first = target.evaluate;
    let run = first;
    const metered: Run = (...args) => {
      if (run === first) return run.apply(node, args);
      this.#charge(1, node);
      const result = placed(node, () => run.apply(node, args));
      if (isWeighed) this.#charge(this.#sizeOf(result), node);
      if (isWalked && lengthOf(result) > LIMITS.elements) {
        this.#stop(`macros walk over at most ${LIMITS.elements} elements`, node);
      }
      return result;
    };
    Object.defineProperty(target, 'evaluate', {
      get: () => metered,
      set: (replaced: Run) => {
        run = replaced;
      },
    });
  }

  #charge(steps: number, node?: ASTNode): void {
    this.#steps += steps;
    if (this.#steps > LIMITS.steps) this.#stop('the expression takes too much work', node);
  }

  #stop(why: string, node: ASTNode | undefined): never {
    this.#exhausted ??= new ExpressionError(why, node?.range.start);
    throw this.#exhausted;
  }

  #sizeOf(value: unknown): number {
    if (typeof value === 'string') return Math.floor(value.length / CHARACTERS_A_STEP);
    if (typeof value !== 'object' || value === null) return 0;
    const known = this.#weights.get(value);
    if (known !== undefined) return known;
    let weight = 0;
    if (Array.isArray(value)) for (const child of value) weight += 1 + this.#sizeOf(child);
    else if (value instanceof Map) {
      for (const [key, child] of value) weight += 1 + this.#sizeOf(key) + this.#sizeOf(child);
    }
    this.#weights.set(value, weight);
    return weight;
  }
}

/** Adds the place: functions do not know where they were called. */
function placed<T>(node: ASTNode, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ExpressionError) error.offset ??= node.range.start;
    throw error;
  }
}

function* childrenOf(node: ASTNode): Generator<ASTNode> {
  const inOrder = Array.isArray(node.args) ? node.args.flat(2) : [node.args];
  for (const child of inOrder) {
    if (typeof child === 'object' && child !== null && 'op' in child) yield child as ASTNode;
  }
}

function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : 0;
}
