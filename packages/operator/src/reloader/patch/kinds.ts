/** How workloads are addressed and what the API server knows of their kinds. */
import type { ObjectKey } from '@reloader/runtime';
import type { WorkloadFacts, WorkloadKind } from '../model/workload.ts';

export { WORKLOAD_TYPES } from '../watch/kinds.ts';
export { FIELD_MANAGER } from '../watch/workload-projection.ts';

/** Kinds of which the API server knows no types: it stores empty maps and lists as they were sent. */
export function isCustom(kind: WorkloadKind): boolean {
  return kind === 'Rollout' || kind === 'DeploymentConfig';
}

export function keyOfWorkload({ metadata: { namespace, name } }: WorkloadFacts): ObjectKey & {
  readonly namespace: string;
} {
  return { namespace, name };
}
