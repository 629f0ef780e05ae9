/**
 * Resource types of common kinds. Their objects are typed as far as this package reads them; for more, use your own
 * types: `const PODS: ResourceType<V1Pod> = { ...Pod }`.
 *
 * @module
 */
import type { KubernetesObject } from '../model/types.ts';
import type { ResourceType } from './resource.ts';

/** An object of which only the metadata is typed. */
export interface PlainObject extends KubernetesObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

export interface SecretObject extends KubernetesObject {
  type?: string;
  immutable?: boolean;
  /** Base64. */
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

export interface ConfigMapObject extends KubernetesObject {
  immutable?: boolean;
  data?: Record<string, string>;
  /** Base64. */
  binaryData?: Record<string, string>;
}

export interface LeaseObject extends KubernetesObject {
  spec?: {
    holderIdentity?: string | null;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

export interface ResourceAttributes {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
}

export interface AccessReviewStatus {
  allowed: boolean;
  denied?: boolean;
  reason?: string;
  evaluationError?: string;
}

export interface SelfSubjectAccessReviewObject extends KubernetesObject {
  spec: {
    resourceAttributes?: ResourceAttributes;
    nonResourceAttributes?: { path?: string; verb?: string };
  };
  status?: AccessReviewStatus;
}

export interface ResourceRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
}

export interface SelfSubjectRulesReviewObject extends KubernetesObject {
  spec: { namespace?: string };
  status?: {
    resourceRules: ResourceRule[];
    /** An authorizer cannot list its rules: one that is missing here may exist all the same. */
    incomplete?: boolean;
    evaluationError?: string;
  };
}

export interface SubjectAccessReviewObject extends KubernetesObject {
  spec: SelfSubjectAccessReviewObject['spec'] & {
    user?: string;
    uid?: string;
    groups?: string[];
    extra?: Record<string, string[]>;
  };
  status?: AccessReviewStatus;
}

export interface TokenReviewObject extends KubernetesObject {
  spec: { token?: string; audiences?: string[] };
  status?: {
    authenticated?: boolean;
    user?: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
    audiences?: string[];
    error?: string;
  };
}

function kind<T extends KubernetesObject = PlainObject>(
  apiVersion: string,
  name: string,
  plural: string,
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
): ResourceType<T> {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { group, version, kind: name, plural, namespaced: scope === 'Namespaced' };
}

export const Secret = kind<SecretObject>('v1', 'Secret', 'secrets');
export const ConfigMap = kind<ConfigMapObject>('v1', 'ConfigMap', 'configmaps');
export const Namespace = kind('v1', 'Namespace', 'namespaces', 'Cluster');
export const Node = kind('v1', 'Node', 'nodes', 'Cluster');
export const Pod = kind('v1', 'Pod', 'pods');
export const Service = kind('v1', 'Service', 'services');
export const ServiceAccount = kind('v1', 'ServiceAccount', 'serviceaccounts');
/** Events of the core group; new code writes those of `events.k8s.io`. */
export const CoreEvent = kind('v1', 'Event', 'events');
export const Event = kind('events.k8s.io/v1', 'Event', 'events');
export const Lease = kind<LeaseObject>('coordination.k8s.io/v1', 'Lease', 'leases');

export const Deployment = kind('apps/v1', 'Deployment', 'deployments');
export const ReplicaSet = kind('apps/v1', 'ReplicaSet', 'replicasets');
export const StatefulSet = kind('apps/v1', 'StatefulSet', 'statefulsets');
export const DaemonSet = kind('apps/v1', 'DaemonSet', 'daemonsets');
export const Job = kind('batch/v1', 'Job', 'jobs');
export const CronJob = kind('batch/v1', 'CronJob', 'cronjobs');
export const Ingress = kind('networking.k8s.io/v1', 'Ingress', 'ingresses');
export const PodDisruptionBudget = kind('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets');

export const Role = kind('rbac.authorization.k8s.io/v1', 'Role', 'roles');
export const RoleBinding = kind('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings');
export const ClusterRole = kind('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', 'Cluster');
export const ClusterRoleBinding = kind(
  'rbac.authorization.k8s.io/v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
  'Cluster',
);
export const CustomResourceDefinition = kind(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  'Cluster',
);
export const MutatingWebhookConfiguration = kind(
  'admissionregistration.k8s.io/v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  'Cluster',
);
export const ValidatingWebhookConfiguration = kind(
  'admissionregistration.k8s.io/v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
  'Cluster',
);

/** Review kinds: created and answered, never stored. */
export const SelfSubjectAccessReview = kind<SelfSubjectAccessReviewObject>(
  'authorization.k8s.io/v1',
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
  'Cluster',
);
export const SelfSubjectRulesReview = kind<SelfSubjectRulesReviewObject>(
  'authorization.k8s.io/v1',
  'SelfSubjectRulesReview',
  'selfsubjectrulesreviews',
  'Cluster',
);
export const SubjectAccessReview = kind<SubjectAccessReviewObject>(
  'authorization.k8s.io/v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
  'Cluster',
);
export const TokenReview = kind<TokenReviewObject>(
  'authentication.k8s.io/v1',
  'TokenReview',
  'tokenreviews',
  'Cluster',
);
