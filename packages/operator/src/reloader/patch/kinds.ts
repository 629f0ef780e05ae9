/** Where each kind of workload lives in the API. */
import { kinds, type ObjectKey, type ResourceType } from '@reloader/runtime';
import type { WorkloadFacts, WorkloadKind } from '../model/workload.ts';

/** The name under which the API server keeps track of our fields; Stakater's, so that taking over leaves no orphans. */
export const FIELD_MANAGER = 'Reloader';

const Rollout: ResourceType<kinds.PlainObject> = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Rollout',
  plural: 'rollouts',
  namespaced: true,
};

const DeploymentConfig: ResourceType<kinds.PlainObject> = {
  group: 'apps.openshift.io',
  version: 'v1',
  kind: 'DeploymentConfig',
  plural: 'deploymentconfigs',
  namespaced: true,
};

export const WORKLOAD_TYPES: Readonly<Record<WorkloadKind, ResourceType<kinds.PlainObject>>> = {
  Deployment: kinds.Deployment,
  StatefulSet: kinds.StatefulSet,
  DaemonSet: kinds.DaemonSet,
  CronJob: kinds.CronJob,
  Job: kinds.Job,
  Rollout,
  DeploymentConfig,
};

/** Kinds of which the API server knows no types: it stores empty maps and lists as they were sent. */
export function isCustom(kind: WorkloadKind): boolean {
  return kind === 'Rollout' || kind === 'DeploymentConfig';
}

export function keyOfWorkload({ metadata: { namespace, name } }: WorkloadFacts): ObjectKey & {
  readonly namespace: string;
} {
  return { namespace, name };
}
