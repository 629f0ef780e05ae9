/**
 * A view of the cluster: the running operator's, with its caches and memory, or that of a user with a kubeconfig.
 * Explanations and predictions come from the engine's own functions, applied to the data of a ClusterView.
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
  /** Undefined: the user may not read the notebook. */
  note(ref: WorkloadRef): ParsedNote | undefined;
  /** The engine's memory of the workload; undefined outside the operator. */
  memory(ref: WorkloadRef): Memory | undefined;
  /** The engine's observations of the rollout after the last reload. */
  following(ref: WorkloadRef): Following | undefined;
  /** An eviction of the workload's pods that a PodDisruptionBudget blocks. */
  blocked(ref: WorkloadRef): BlockedEviction | undefined;
  lastError(ref: WorkloadRef): string | undefined;
  notes(ref: WorkloadRef): readonly { readonly reason: string; readonly message: string }[];
  history(ref: WorkloadRef): WorkloadHistory | undefined;
  /** Rollouts of the operator that have not ended, and the workloads that wait for one to end. */
  slots(): Slots;
  /** The workloads on which a content has failed. */
  readonly failures: FailuresOf;
  /** The workloads that may be reloaded for a source. */
  readonly peers: PeersOf;
  /** Verdicts on contents that were checked. */
  readonly verdictOn: VerdictOf;
  /** Checks contents that have no verdict yet. */
  checkContents(questions: readonly ContentQuestion[], signal: AbortSignal): Promise<void>;
  workloads(namespace?: string): Iterable<WorkloadFacts>;
  /** Workloads that a change of this source may concern. */
  affected(ref: SourceRef, labels: Readonly<Record<string, string>>): readonly WorkloadRef[];
  lookAtPods(workload: WorkloadFacts, why: Doubt, signal: AbortSignal): Promise<PodEvidence>;
  /** True in the operator: a source that it cannot see causes no reload. */
  readonly isOperator: boolean;
  /** False if the digest key is not known: changes of Secrets can then not be detected. */
  readonly comparesSecrets: boolean;
}
