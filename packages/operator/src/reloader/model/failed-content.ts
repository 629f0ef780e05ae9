/** Content that failed: which source, which digest, and on which workload it did. */
import { type SourceRef, sourceKey } from './source.ts';

export interface FailedContent {
  /** Key of the workload that it failed on, and its uid: one that was created anew has not failed. */
  readonly workload: string;
  readonly uid: string;
  readonly seq: number;
  readonly message: string;
}

/** The same with the source, for people. */
export interface FailedElsewhere extends FailedContent {
  readonly source: SourceRef;
}

/** By the name of a content: all workloads that it failed on. */
export type FailuresOf = (content: string) => readonly FailedContent[];

/** `content`: what a ledger says of it. Other content, or other keys of it, has another name. */
export function contentName(source: SourceRef, content: string): string {
  return `${sourceKey(source)} ${content}`;
}
