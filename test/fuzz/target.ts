/** Something that reads text which others wrote, and what must hold whatever that text is. */
export interface Target {
  readonly name: string;
  /** Where its code is: only what runs there counts as new. */
  readonly code: readonly string[];
  /** Words of its language, to put into inputs. */
  readonly words: readonly string[];
  /** Beyond this, inputs are cut. */
  readonly longest: number;
  /** Inputs to begin with, beside those in `corpus/`. */
  readonly seeds: readonly string[];
  /** Throws where something does not hold; an error that users are meant to get is caught here. */
  run(input: string): void;
}

export class BrokenPropertyError extends Error {
  override name = 'BrokenPropertyError';
}

export function must(holds: boolean, what: string): void {
  if (!holds) throw new BrokenPropertyError(what);
}
