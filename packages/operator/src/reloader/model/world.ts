/** The cluster's state as decisions read it, from caches. Reads never reach the API server and never copy. */
import type { ConfigFacts } from './config.ts';
import type { SourceKind, SourceRef } from './source.ts';
import type { SourceFacts, SourceState } from './source-facts.ts';
import type { OptInSeen } from './want.ts';
import type { WorkloadFacts, WorkloadKind, WorkloadRef } from './workload.ts';

export interface NamespaceFacts {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly labels: Readonly<Record<string, string>>;
  /** Only the operator's own. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The field manager that last wrote the operator's annotations, or else anything; empty if unknown. */
  readonly writtenBy?: string;
  /** The field manager and time (seconds since the epoch) of the freeze annotation; absent if not frozen. */
  readonly frozen?: { readonly by: string; readonly at: number };
  readonly deleting: boolean;
}

/** The name under which `World.revision` counts the changes of all Namespace objects together. */
export const ALL_NAMESPACES = '';

export interface World {
  source(ref: SourceRef): SourceState;
  /** The sources that exist. */
  sourcesIn(namespace: string, kind: SourceKind): Iterable<SourceFacts>;
  workload(ref: WorkloadRef): WorkloadFacts | undefined;
  /** False while the kind's API is absent or may not be read: a missing workload is then not a deleted one. */
  knows(kind: WorkloadKind): boolean;
  /** Configs that name this workload as a target, the oldest first. Ignored ones are left out. */
  configsFor(ref: WorkloadRef): readonly ConfigFacts[];
  config(key: { readonly namespace: string; readonly name: string }): ConfigFacts | undefined;
  /** Undefined where namespaces cannot be read. */
  namespace(name: string): NamespaceFacts | undefined;
  /** Names of all namespaces that are known and in scope. */
  namespaces(): Iterable<string>;
  /** The opt-in events of the workload that this process observed. */
  optInSeen(workload: WorkloadFacts): OptInSeen;
  /**
   * A number that is another one whenever a source, a config or the Namespace of this name has changed; for the empty
   * name, whenever any Namespace has. Undefined where changes are not followed.
   */
  readonly revision?: (namespace: string) => number;
  /** According to the namespace list, the ignore list and the namespace selector. */
  inScope(namespace: string): boolean;
}
