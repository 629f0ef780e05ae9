/** Conditions: expressions over metadata of a source and a workload that must be true before a change is rolled out. */
import type { SourceRef } from './source.ts';

export interface Condition {
  readonly text: string;
  /** For messages: `condition of ReloaderConfig shop/db`. */
  readonly where: string;
  /** `namespace/name`: it applies to sources that this config watches; undefined: to every source. */
  readonly config?: string;
}

/** A condition that is false for a changed source, or that could not be evaluated. */
export interface UnmetCondition extends Condition {
  readonly source: SourceRef;
  /** Why it could not be evaluated. */
  readonly problem?: string;
}
