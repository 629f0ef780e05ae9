/** The interface of these tests to a cluster in which workloads are rolled out. */
import type { Step, Workload, WorkloadKind } from './plan.ts';
import type { Snapshot } from './state.ts';

export interface Subject {
  /** Creates the workload or changes its spec to that of the step, or deletes the pod that the step names. */
  apply(workload: Workload, step: Step): Promise<void>;
  snapshot(): Promise<Snapshot>;
}

export const NAMESPACE = 'rollouts';
/** The number of nodes of every subject: DaemonSets have that many pods. */
export const NODES = 4;

export const RESOURCES: Readonly<Record<WorkloadKind, { readonly group: 'apps'; readonly plural: string }>> =
  {
    Deployment: { group: 'apps', plural: 'deployments' },
    StatefulSet: { group: 'apps', plural: 'statefulsets' },
    DaemonSet: { group: 'apps', plural: 'daemonsets' },
  };

export function manifestOf({ kind, name }: Workload, { spec }: Step) {
  return { apiVersion: 'apps/v1', kind, metadata: { namespace: NAMESPACE, name }, spec };
}
