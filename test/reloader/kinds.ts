/** The kinds that scenarios use, beyond those that the runtime defines. */
import { kinds, type ResourceType } from '@reloader/runtime';

type Plain = kinds.PlainObject;

const custom = (group: string, version: string, kind: string, plural: string): ResourceType<Plain> => ({
  group,
  version,
  kind,
  plural,
  namespaced: true,
});

export const ReloaderConfig = custom(
  'reloader.stakater.com',
  'v1alpha1',
  'ReloaderConfig',
  'reloaderconfigs',
);
export const Rollout = custom('argoproj.io', 'v1alpha1', 'Rollout', 'rollouts');
export const DeploymentConfig = custom('apps.openshift.io', 'v1', 'DeploymentConfig', 'deploymentconfigs');
export const SecretProviderClass = custom(
  'secrets-store.csi.x-k8s.io',
  'v1',
  'SecretProviderClass',
  'secretproviderclasses',
);
export const SecretProviderClassPodStatus = custom(
  'secrets-store.csi.x-k8s.io',
  'v1',
  'SecretProviderClassPodStatus',
  'secretproviderclasspodstatuses',
);

/** Kinds that only some clusters serve. */
export const FOREIGN: ReadonlySet<ResourceType> = new Set([Rollout, DeploymentConfig]);

/** The kinds that the chronicle records on both servers. */
export const RECORDED: readonly ResourceType[] = [
  kinds.ConfigMap,
  kinds.Secret,
  kinds.Deployment,
  kinds.StatefulSet,
  kinds.DaemonSet,
  kinds.CronJob,
  kinds.Job,
  kinds.Pod,
  kinds.ReplicaSet,
  kinds.CoreEvent,
  ReloaderConfig,
  Rollout,
  DeploymentConfig,
];

export const WORKLOADS: Readonly<Record<string, ResourceType<Plain>>> = {
  Deployment: kinds.Deployment,
  StatefulSet: kinds.StatefulSet,
  DaemonSet: kinds.DaemonSet,
  CronJob: kinds.CronJob,
  Job: kinds.Job,
  Rollout,
  DeploymentConfig,
};

export function typeOf(kind: string): ResourceType<Plain> {
  const found =
    WORKLOADS[kind] ??
    [...RECORDED, SecretProviderClass, SecretProviderClassPodStatus, kinds.Namespace].find(
      (type) => type.kind === kind,
    );
  if (!found) throw new Error(`No resource type is known here for ${kind}`);
  return found as ResourceType<Plain>;
}

/** A definition that accepts any content, for kinds whose controllers do not run here. */
export function definition({ group, version, kind, plural }: ResourceType): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}
