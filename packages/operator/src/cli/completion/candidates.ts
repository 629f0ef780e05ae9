/** A candidate for completion, and how to continue after it. */
export interface Candidate {
  readonly word: string;
  readonly about?: string;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** The word continues, as after `deployment/`. */
  readonly goesOn?: boolean;
  readonly files?: boolean;
}
