/** The libraries for expressions. Most installations use none, and both take memory: they are loaded on first use. */
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

export function cel(): typeof import('@marcbachmann/cel-js') {
  return load('@marcbachmann/cel-js') as typeof import('@marcbachmann/cel-js');
}

export function re2(): typeof import('re2js') {
  return load('re2js') as typeof import('re2js');
}
