/**
 * A small cache of compiled expressions. It is small because a hostile expression grows to megabytes while it is
 * evaluated. Match results are cached elsewhere (`answers.ts`).
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

const MOST = 16;
const kept = new Map<string, RE2JS | Error>();
let engine: typeof RE2JS | undefined;

/** Loads the engine on first use, because it takes memory and most lists have no expressions. True if it loaded now. */
export function loadEngine(): boolean {
  const isNew = engine === undefined;
  engineNow();
  return isNew;
}

function engineNow(): typeof RE2JS {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  return engine;
}

/** Compile errors are cached, too. */
export function compiled(expression: string): RE2JS | Error {
  const known = kept.get(expression);
  kept.delete(expression);
  const result = known ?? compile(expression);
  kept.set(expression, result);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST) break;
    kept.delete(oldest);
  }
  return result;
}

function compile(expression: string): RE2JS | Error {
  const loaded = engineNow();
  try {
    return loaded.compile(expression);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
