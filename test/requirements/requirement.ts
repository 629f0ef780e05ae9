/**
 * A requirement, under the number by which tests cite it.
 *
 * A test cites it in its title: `row 22: …`, `rows 4 and 5: …`, `O7: …`. Tests that show a requirement under another
 * title are listed in `tests`.
 */
export interface Requirement {
  /** As titles cite it: `row 22`, `rule 4`, `O7`. */
  readonly id: string;
  readonly asks: string;
  /** Files of tests, of their scenarios and checks, or of benchmarks; paths within the repository. */
  readonly tests?: readonly string[];
  /** The part that no test shows yet. It is on the page until the title of a test cites the requirement. */
  readonly missing?: string;
}

export interface Chapter {
  readonly title: string;
  readonly about: string;
  readonly requirements: readonly Requirement[];
}
