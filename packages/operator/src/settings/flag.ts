/** One flag of the table: everything that parsing, `--help` and the documentation need to know about it. */
import type { ValueType } from './value-types.ts';

export interface Flag<T> {
  readonly type: ValueType<T>;
  readonly default: T;
  /** Its effect, in one or two sentences. */
  readonly help: string;
}

export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

export function flag<T>(type: ValueType<T>, fallback: T, help: string): Flag<T> {
  return { type, default: fallback, help };
}

/** The default as text; empty if there is none. */
export function defaultText({ type, default: fallback }: Flag<unknown>): string {
  return type.show(fallback);
}
