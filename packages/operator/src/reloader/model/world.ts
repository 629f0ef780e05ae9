/** What is known of the cluster, as decisions read it. Reads never reach the server and never copy. */
import type { ConfigFacts } from './config.ts';
import type { SourceKind, SourceRef } from './source.ts';
import type { SourceFacts, SourceState } from './source-facts.ts';
import type { OptInSeen } from './want.ts';
import type { WorkloadFacts, WorkloadKind, WorkloadRef } from './workload.ts';

export interface NamespaceFacts {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly labels: Readonly<Record<string, string>>;
  /** Only ours. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The program that last wrote our annotations, or anything; empty where nobody knows. */
  readonly writtenBy?: string;
  /** Who last wrote the annotation that freezes it, and when (seconds since the epoch); absent where nothing freezes it. */
  readonly frozen?: { readonly by: string; readonly at: number };
  readonly deleting: boolean;
}

export interface World {
  source(ref: SourceRef): SourceState;
  /** Those that are present. */
  sourcesIn(namespace: string, kind: SourceKind): Iterable<SourceFacts>;
  workload(ref: WorkloadRef): WorkloadFacts | undefined;
  /** False while the kind's API is absent or may not be read: a missing workload is then not proven missing. */
  knows(kind: WorkloadKind): boolean;
  /** Configs that name this workload as a target, the oldest first. Ignored ones are left out. */
  configsFor(ref: WorkloadRef): readonly ConfigFacts[];
  config(key: { readonly namespace: string; readonly name: string }): ConfigFacts | undefined;
  /** Undefined where namespaces cannot be read. */
  namespace(name: string): NamespaceFacts | undefined;
  /** Names of all namespaces that are known and in scope. */
  namespaces(): Iterable<string>;
  /** How this process saw it begin to ask for reloads, if it did. */
  optInSeen(workload: WorkloadFacts): OptInSeen;
  /** By namespace list, ignore list and namespace selector. */
  inScope(namespace: string): boolean;
}
