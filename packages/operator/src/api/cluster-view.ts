/**
 * From where somebody looks at the cluster: the running operator with its caches and memory, or a person with a
 * kubeconfig. What is explained or foretold is computed by the engine's own functions on what a ClusterView has.
 */
import type { ParsedNote } from '../reloader/ledger/note.ts';
import type { Slots } from '../reloader/model/budget.ts';
import type { ContentQuestion, VerdictOf } from '../reloader/model/content-rule.ts';
import type { Doubt, Install, PodEvidence } from '../reloader/model/decision.ts';
import type { FailuresOf } from '../reloader/model/failed-content.ts';
import type { Following } from '../reloader/model/following.ts';
import type { Memory } from '../reloader/model/memory.ts';
import type { PeersOf } from '../reloader/model/order.ts';
import type { BlockedEviction } from '../reloader/model/plan.ts';
import type { ReloaderSettings } from '../reloader/model/settings.ts';
import type { SourceRef } from '../reloader/model/source.ts';
import type { WorkloadFacts, WorkloadRef } from '../reloader/model/workload.ts';
import type { World } from '../reloader/model/world.ts';
import type { WorkloadHistory } from '../reloader/report/history.ts';

export interface ClusterView {
  readonly world: World;
  readonly settings: ReloaderSettings;
  /** Milliseconds since the epoch. */
  now(): number;
  install(workload: WorkloadFacts): Install;
  /** Undefined: whoever asks may not read the notebook. */
  note(ref: WorkloadRef): ParsedNote | undefined;
  /** What the engine remembers of it; undefined for everybody else. */
  memory(ref: WorkloadRef): Memory | undefined;
  /** What it has seen of the rollout after the last reload. */
  following(ref: WorkloadRef): Following | undefined;
  /** The eviction of its pods that a disruption budget does not allow. */
  blocked(ref: WorkloadRef): BlockedEviction | undefined;
  lastError(ref: WorkloadRef): string | undefined;
  notes(ref: WorkloadRef): readonly { readonly reason: string; readonly message: string }[];
  history(ref: WorkloadRef): WorkloadHistory | undefined;
  /** Rollouts of ours that have not ended, and who waits for one to end. */
  slots(): Slots;
  /** On which workloads a content has failed. */
  readonly failures: FailuresOf;
  /** Who may be reloaded for a source. */
  readonly peers: PeersOf;
  /** Verdicts on contents that somebody has looked at. */
  readonly verdictOn: VerdictOf;
  /** Looks at the others. */
  checkContents(questions: readonly ContentQuestion[], signal: AbortSignal): Promise<void>;
  workloads(namespace?: string): Iterable<WorkloadFacts>;
  /** Workloads that a change of this source may concern. */
  affected(ref: SourceRef, labels: Readonly<Record<string, string>>): readonly WorkloadRef[];
  lookAtPods(workload: WorkloadFacts, why: Doubt, signal: AbortSignal): Promise<PodEvidence>;
  /** It is the operator: what it does not see leads to nothing. */
  readonly isOperator: boolean;
  /** False where the digest key is not known: nothing can be said about changes of Secrets. */
  readonly comparesSecrets: boolean;
}
