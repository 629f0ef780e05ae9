/**
 * Compiled expressions, of which few are kept: one that is written for it grows to megabytes while it is asked. What
 * they answered is remembered elsewhere.
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

const MOST = 16;
const kept = new Map<string, RE2JS | Error>();
let engine: typeof RE2JS | undefined;

/** Most lists have no expressions, and the engine takes memory, so it is loaded with the first. True if it was now. */
export function loadEngine(): boolean {
  const isNew = engine === undefined;
  engineNow();
  return isNew;
}

function engineNow(): typeof RE2JS {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  return engine;
}

/** Failures are kept like all others. */
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
