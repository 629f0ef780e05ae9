/**
 * Compiled expressions, of which few are kept: one that is written for it grows to megabytes while it is asked. What
 * they answered is remembered elsewhere.
 */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

const MOST = 16;
const kept = new Map<string, RE2JS | Error>();
let engine: typeof RE2JS | undefined;

/** Failures are kept like all others. Loaded with the first: most lists have none, and the engine takes memory. */
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
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  try {
    return engine.compile(expression);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
