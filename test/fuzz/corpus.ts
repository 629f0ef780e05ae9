/** Inputs that are kept in the repository: those that reached new code, and those that once broke something. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Target } from './target.ts';

export interface Kept {
  /** Each once broke something; every run repeats them. */
  readonly cases: readonly string[];
  readonly inputs: readonly string[];
}

export const CORPUS = fileURLToPath(new URL('./corpus/', import.meta.url));

export function keptFor({ name }: Target, folder: string): Kept {
  return JSON.parse(readFileSync(`${folder}${name}.json`, 'utf8')) as Kept;
}

/** In the order in which they were found. */
export function keep({ name }: Target, folder: string, { cases, inputs }: Kept): void {
  writeFileSync(`${folder}${name}.json`, `${JSON.stringify({ cases, inputs }, null, 2)}\n`);
}
