/** Code that parses text of others, and the properties that must hold for any text. */
export interface Target {
  readonly name: string;
  /** Folders of its code: only branches there count as new. */
  readonly code: readonly string[];
  /** Words of its language, to insert into inputs. */
  readonly words: readonly string[];
  /** Longer inputs are cut. */
  readonly longest: number;
  /** Initial inputs, beside those in `corpus/`. */
  readonly seeds: readonly string[];
  /** Throws if a property does not hold; catches the errors that users are meant to get. */
  run(input: string): void;
}

export class BrokenPropertyError extends Error {
  override name = 'BrokenPropertyError';
}

export function must(holds: boolean, what: string): void {
  if (!holds) throw new BrokenPropertyError(what);
}
