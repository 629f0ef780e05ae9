/** `matches` by RE2, which is linear in the text: the library's own uses RegExp, which hostile patterns can block. */
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import type { RE2JS } from 're2js';
import { re2 } from './libraries.ts';
import { LIMITS } from './limits.ts';
import { compileCost } from './pattern-cost.ts';
import { ExpressionError } from './problem.ts';
import { nodesOf } from './tree.ts';

/** As long as `matches`, which it replaces, so that places in messages stay correct. */
const WRITTEN = 're2find';
/** For patterns that are computed while the expression runs. */
const MADE = 're2made';
const MAX_PATTERNS = 256;

const compiled = new Map<string, RE2JS>();

/** In the worst case RE2 tries each instruction at each character; this many tries are one step. */
const LOOKS_A_STEP = 32;
const STEPS_TO_COMPILE = 40;

/** `spend` charges the running expression, and throws when its budget is used up. */
export function addPatterns(env: Environment, spend: (steps: number) => void): Environment {
  const find = (text: string, regex: RE2JS): boolean => {
    spend(Math.ceil((text.length * regex.programSize()) / LOOKS_A_STEP));
    return regex.matcher(text).find();
  };
  return env
    .registerFunction(`string.${WRITTEN}(string): bool`, (text: string, pattern: string) =>
      find(text, compile(pattern)),
    )
    .registerFunction(`string.${MADE}(string): bool`, (text: string, pattern: string) => {
      // Charged even if it is cached: the same expression over the same data always ends at the same place.
      spend(compileCost(pattern) * STEPS_TO_COMPILE);
      return find(text, compile(pattern));
    });
}

/** `text` with every call of `matches` redirected to RE2. */
export function withSafePatterns(text: string, ast: ASTNode): string {
  let result = text;
  for (const node of nodesOf(ast)) {
    if (node.op !== 'rcall' || node.args[0] !== 'matches') continue;
    const at = text.indexOf('matches', node.args[1].range.end);
    const name = node.args[2][0]?.op === 'value' ? WRITTEN : MADE;
    result = result.slice(0, at) + name + result.slice(at + name.length);
  }
  return result;
}

/** Literal patterns are checked when the expression is compiled, not when they are first needed. */
export function checkLiteralPatterns(ast: ASTNode): void {
  for (const node of nodesOf(ast)) {
    if (node.op !== 'rcall' || node.args[0] !== 'matches') continue;
    const pattern = node.args[2][0];
    if (pattern?.op !== 'value' || typeof pattern.args !== 'string') continue;
    compile(pattern.args, pattern.range.start);
  }
}

function compile(pattern: string, offset?: number): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  if (pattern.length > LIMITS.pattern || compileCost(pattern) > LIMITS.patternCost) {
    throw new ExpressionError('this pattern is too large', offset);
  }
  try {
    const regex = re2().RE2JS.compile(pattern);
    if (compiled.size >= MAX_PATTERNS) compiled.clear();
    compiled.set(pattern, regex);
    return regex;
  } catch {
    throw new ExpressionError('RE2 does not take this pattern', offset);
  }
}
