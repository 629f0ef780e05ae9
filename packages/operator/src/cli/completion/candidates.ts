/** What could follow on a command line, and how to go on after it. */
export interface Candidate {
  readonly word: string;
  readonly about?: string;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** The word goes on, as after `deployment/`. */
  readonly goesOn?: boolean;
  readonly files?: boolean;
}
