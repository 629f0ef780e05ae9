/** The watched kinds as API resources. */
import { type KubernetesObject, kinds, type ResourceType } from '@reloader/runtime';
import { ReloaderConfigs as definedConfigs } from '../../crds/reloader-config/resource.ts';
import type { WorkloadKind } from './workload.ts';
import type { WorkloadObject } from './workload-object.ts';

function custom<T extends KubernetesObject>(
  group: string,
  version: string,
  kind: string,
  plural: string,
): ResourceType<T> {
  return { group, version, kind, plural, namespaced: true };
}

/** Workloads of all kinds share one object type; they differ in where their fields are. */
export const WORKLOAD_TYPES: Readonly<Record<WorkloadKind, ResourceType<WorkloadObject>>> = {
  Deployment: custom('apps', 'v1', 'Deployment', 'deployments'),
  StatefulSet: custom('apps', 'v1', 'StatefulSet', 'statefulsets'),
  DaemonSet: custom('apps', 'v1', 'DaemonSet', 'daemonsets'),
  CronJob: custom('batch', 'v1', 'CronJob', 'cronjobs'),
  Job: custom('batch', 'v1', 'Job', 'jobs'),
  Rollout: custom('argoproj.io', 'v1alpha1', 'Rollout', 'rollouts'),
  DeploymentConfig: custom('apps.openshift.io', 'v1', 'DeploymentConfig', 'deploymentconfigs'),
};

/** The revisions that Kubernetes keeps of a workload's pod template. */
export const ReplicaSets = custom('apps', 'v1', 'ReplicaSet', 'replicasets');
export const ControllerRevisions = custom('apps', 'v1', 'ControllerRevision', 'controllerrevisions');

export interface PodStatusObject extends KubernetesObject {
  status?: {
    podName?: string;
    secretProviderClassName?: string;
    objects?: { id?: string; version?: string }[];
  };
}

const CSI_GROUP = 'secrets-store.csi.x-k8s.io';
export const ProviderClasses = custom(CSI_GROUP, 'v1', 'SecretProviderClass', 'secretproviderclasses');
export const PodStatuses = custom<PodStatusObject>(
  CSI_GROUP,
  'v1',
  'SecretProviderClassPodStatus',
  'secretproviderclasspodstatuses',
);

export interface ReloaderConfigObject extends KubernetesObject {
  spec?: unknown;
  status?: unknown;
}

/** As the caches read them: the raw object, including fields that the schema does not know. */
export const ReloaderConfigs: ResourceType<ReloaderConfigObject> = { ...definedConfigs };

export const { Secret: Secrets, ConfigMap: ConfigMaps, Namespace: Namespaces } = kinds;
