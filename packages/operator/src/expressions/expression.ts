/**
 * Boolean CEL expressions over plain data, written by tenants.
 *
 * In: a text and the variables that it may use, then data for them, any number of times. Out: true, false, or a
 * sentence that names the place in the text. Guarantees: it never throws; no sentence contains a value of the data; for
 * any text and data, evaluation returns within a few milliseconds (`limits.ts`).
 */
import type { ASTNode, Environment, ParseResult } from '@marcbachmann/cel-js';
import { cel } from './libraries.ts';
import { LIMITS } from './limits.ts';
import { Meter } from './meter.ts';
import { addPatterns, checkLiteralPatterns, withSafePatterns } from './patterns.ts';
import { ExpressionError, problemOfRun, problemOfText } from './problem.ts';
import { checkMacros } from './tree.ts';
import { toCel } from './values.ts';

/** By name: a CEL type (`dyn` for any data), or the fields of an object with their types. */
export type Variables = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** For expressions about one value of any shape. */
export const SELF: Variables = { self: 'dyn' };

export interface Expression {
  readonly text: string;
  evaluate(data: Readonly<Record<string, unknown>>): Verdict;
  /** With the number of steps that it took, for callers with a limit for several expressions together. */
  measure(data: Readonly<Record<string, unknown>>): Measured;
}

export interface Measured {
  readonly verdict: Verdict;
  readonly steps: number;
}

export type Verdict = { readonly value: boolean } | Problem;

export interface Problem {
  readonly problem: string;
}

/** Compiles once; mistakes in the text are reported here and not at evaluation. */
export function compileExpression(text: string, variables: Variables): Expression | Problem {
  try {
    const { run, meter } = compile(text, variables);
    const judge = (data: Readonly<Record<string, unknown>>): Verdict => evaluate(text, run, meter, data);
    return {
      text,
      evaluate: judge,
      measure: (data) => {
        const verdict = judge(data);
        return { verdict, steps: meter.steps };
      },
    };
  } catch (error) {
    return { problem: problemOfText(error, text) };
  }
}

let base: Environment | undefined;
/** Declaring variables takes longer than parsing most texts, so the same variables are declared once. */
const declared = new WeakMap<Variables, Environment>();

function compile(text: string, variables: Variables): { run: ParseResult; meter: Meter } {
  if (text.trim() === '') throw new ExpressionError('the expression is empty');
  if (Buffer.byteLength(text) > LIMITS.bytes) {
    throw new ExpressionError(`the expression has more than ${LIMITS.bytes} bytes`);
  }
  let env = declared.get(variables);
  if (!env) {
    env = declare(variables);
    declared.set(variables, env);
  }
  const written = env.parse(text);
  checkMacros(written.ast);
  checkResult(written);
  checkLiteralPatterns(written.ast);
  const safe = withSafePatterns(text, written.ast);
  const run = safe === text ? written : env.parse(safe);
  if (run !== written) run.check();
  return { run, meter: new Meter(run.ast as ASTNode) };
}

function declare(variables: Variables): Environment {
  const Loaded = environmentClass();
  base ??= addPatterns(
    new Loaded({
      unlistedVariablesAreDyn: false,
      homogeneousAggregateLiterals: false,
      limits: {
        maxAstNodes: LIMITS.nodes,
        maxDepth: LIMITS.depth,
        maxListElements: LIMITS.elements,
        maxMapEntries: LIMITS.elements,
      },
    }),
    Meter.spend,
  );
  const env = base.clone();
  for (const [name, type] of Object.entries(variables)) {
    if (typeof type === 'string') env.registerVariable(name, type);
    else env.registerVariable({ name, schema: { ...type } });
  }
  return env;
}

/** The library is an ECMAScript module, which older versions of Node cannot `require`. */
function environmentClass(): typeof Environment {
  try {
    return cel().Environment;
  } catch (error) {
    const { message } = error as Error;
    throw new ExpressionError(
      `the library for expressions cannot be loaded (Node 20.19 is needed): ${message}`,
    );
  }
}

function checkResult(written: ParseResult): void {
  const { error, type } = written.check();
  if (error) throw error;
  if (type !== 'bool' && type !== 'dyn') {
    throw new ExpressionError(`the result must be true or false, and this is of type ${type}`);
  }
}

function evaluate(
  text: string,
  run: ParseResult,
  meter: Meter,
  data: Readonly<Record<string, unknown>>,
): Verdict {
  try {
    const values = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, toCel(value)]));
    const value: unknown = meter.during(() => run(values));
    if (meter.exhausted) throw meter.exhausted;
    return typeof value === 'boolean' ? { value } : { problem: 'the result is neither true nor false' };
  } catch (error) {
    return { problem: problemOfRun(error, text) };
  }
}
