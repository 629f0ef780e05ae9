/** Contents that failed: the source, the digest, and the workload on which it failed. */
import { type SourceRef, sourceKey } from './source.ts';

export interface FailedContent {
  /** Key and uid of the workload on which it failed: a re-created workload has not failed. */
  readonly workload: string;
  readonly uid: string;
  readonly seq: number;
  readonly message: string;
}

/** The same with the source, for messages. */
export interface FailedElsewhere extends FailedContent {
  readonly source: SourceRef;
}

/** All workloads on which the content with this name failed. */
export type FailuresOf = (content: string) => readonly FailedContent[];

/** `content`: the ledger's entry. Another content, or other keys of it, gets another name. */
export function contentName(source: SourceRef, content: string): string {
  return `${sourceKey(source)} ${content}`;
}
