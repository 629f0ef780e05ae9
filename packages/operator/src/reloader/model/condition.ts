/** Conditions: expressions over metadata of a source and a workload that have to be true before a change is rolled out. */
import type { SourceRef } from './source.ts';

export interface Condition {
  readonly text: string;
  /** For people: `condition of ReloaderConfig shop/db`. */
  readonly where: string;
  /** `namespace/name`: it counts for what this config watches; undefined: for every source. */
  readonly config?: string;
}

/** It is false for a source that changed, or nobody can tell. */
export interface UnmetCondition extends Condition {
  readonly source: SourceRef;
  /** Why nobody can tell. */
  readonly problem?: string;
}
