/**
 * Resource types of common kinds. Their objects are typed as far as this package reads them; for more, use
 * types of your own: `const Pods = typed<Pod>(kinds.Pod)`, with `Pod` from the package `kubernetes-types`.
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

/** A Secret. */
export interface SecretObject extends KubernetesObject {
  type?: string;
  immutable?: boolean;
  /** Base64. */
  data?: Record<string, string>;
  stringData?: Record<string, string>;
}

/** A ConfigMap. */
export interface ConfigMapObject extends KubernetesObject {
  immutable?: boolean;
  data?: Record<string, string>;
  /** Base64. */
  binaryData?: Record<string, string>;
}

/** A Lease. */
export interface LeaseObject extends KubernetesObject {
  spec?: {
    holderIdentity?: string | null;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

/** The request that an access review asks about. */
export interface ResourceAttributes {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
}

/** The answer to an access review. */
export interface AccessReviewStatus {
  allowed: boolean;
  denied?: boolean;
  reason?: string;
  evaluationError?: string;
}

/** Asks whether this client may do something. */
export interface SelfSubjectAccessReviewObject extends KubernetesObject {
  spec: {
    resourceAttributes?: ResourceAttributes;
    nonResourceAttributes?: { path?: string; verb?: string };
  };
  status?: AccessReviewStatus;
}

/** One rule of a SelfSubjectRulesReview. */
export interface ResourceRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
}

/** Asks what the caller may do in a namespace. */
export interface SelfSubjectRulesReviewObject extends KubernetesObject {
  spec: { namespace?: string };
  status?: {
    resourceRules: ResourceRule[];
    /** An authorizer cannot list its rules: one that is missing here may exist all the same. */
    incomplete?: boolean;
    evaluationError?: string;
  };
}

/** Asks whether somebody may do something. */
export interface SubjectAccessReviewObject extends KubernetesObject {
  spec: SelfSubjectAccessReviewObject['spec'] & {
    user?: string;
    uid?: string;
    groups?: string[];
    extra?: Record<string, string[]>;
  };
  status?: AccessReviewStatus;
}

/** Asks whose token this is. */
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

/** Secret, v1. */
export const Secret = kind<SecretObject>('v1', 'Secret', 'secrets');
/** ConfigMap, v1. */
export const ConfigMap = kind<ConfigMapObject>('v1', 'ConfigMap', 'configmaps');
/** Namespace, v1. */
export const Namespace = kind('v1', 'Namespace', 'namespaces', 'Cluster');
/** Node, v1. */
export const Node = kind('v1', 'Node', 'nodes', 'Cluster');
/** Pod, v1. */
export const Pod = kind('v1', 'Pod', 'pods');
/** Service, v1. */
export const Service = kind('v1', 'Service', 'services');
/** ServiceAccount, v1. */
export const ServiceAccount = kind('v1', 'ServiceAccount', 'serviceaccounts');
/** PersistentVolumeClaim, v1. */
export const PersistentVolumeClaim = kind('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims');
/** ResourceQuota, v1. */
export const ResourceQuota = kind('v1', 'ResourceQuota', 'resourcequotas');
/** LimitRange, v1. */
export const LimitRange = kind('v1', 'LimitRange', 'limitranges');
/** Events of the core group; new code writes those of `events.k8s.io`. */
export const CoreEvent = kind('v1', 'Event', 'events');
/** Event, events.k8s.io/v1. */
export const Event = kind('events.k8s.io/v1', 'Event', 'events');
/** Lease, coordination.k8s.io/v1. */
export const Lease = kind<LeaseObject>('coordination.k8s.io/v1', 'Lease', 'leases');

/** Deployment, apps/v1. */
export const Deployment = kind('apps/v1', 'Deployment', 'deployments');
/** ReplicaSet, apps/v1. */
export const ReplicaSet = kind('apps/v1', 'ReplicaSet', 'replicasets');
/** StatefulSet, apps/v1. */
export const StatefulSet = kind('apps/v1', 'StatefulSet', 'statefulsets');
/** DaemonSet, apps/v1. */
export const DaemonSet = kind('apps/v1', 'DaemonSet', 'daemonsets');
/** Job, batch/v1. */
export const Job = kind('batch/v1', 'Job', 'jobs');
/** CronJob, batch/v1. */
export const CronJob = kind('batch/v1', 'CronJob', 'cronjobs');
/** Ingress, networking.k8s.io/v1. */
export const Ingress = kind('networking.k8s.io/v1', 'Ingress', 'ingresses');
/** NetworkPolicy, networking.k8s.io/v1. */
export const NetworkPolicy = kind('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies');
/** HorizontalPodAutoscaler, autoscaling/v2. */
export const HorizontalPodAutoscaler = kind(
  'autoscaling/v2',
  'HorizontalPodAutoscaler',
  'horizontalpodautoscalers',
);
/** PodDisruptionBudget, policy/v1. */
export const PodDisruptionBudget = kind('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets');

/** Role, rbac.authorization.k8s.io/v1. */
export const Role = kind('rbac.authorization.k8s.io/v1', 'Role', 'roles');
/** RoleBinding, rbac.authorization.k8s.io/v1. */
export const RoleBinding = kind('rbac.authorization.k8s.io/v1', 'RoleBinding', 'rolebindings');
/** ClusterRole, rbac.authorization.k8s.io/v1. */
export const ClusterRole = kind('rbac.authorization.k8s.io/v1', 'ClusterRole', 'clusterroles', 'Cluster');
/** ClusterRoleBinding, rbac.authorization.k8s.io/v1. */
export const ClusterRoleBinding = kind(
  'rbac.authorization.k8s.io/v1',
  'ClusterRoleBinding',
  'clusterrolebindings',
  'Cluster',
);
/** CustomResourceDefinition, apiextensions.k8s.io/v1. */
export const CustomResourceDefinition = kind(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  'Cluster',
);
/** MutatingWebhookConfiguration, admissionregistration.k8s.io/v1. */
export const MutatingWebhookConfiguration = kind(
  'admissionregistration.k8s.io/v1',
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
  'Cluster',
);
/** ValidatingWebhookConfiguration, admissionregistration.k8s.io/v1. */
export const ValidatingWebhookConfiguration = kind(
  'admissionregistration.k8s.io/v1',
  'ValidatingWebhookConfiguration',
  'validatingwebhookconfigurations',
  'Cluster',
);

// Review kinds: created and answered, never stored.
/** SelfSubjectAccessReview, authorization.k8s.io/v1. */
export const SelfSubjectAccessReview = kind<SelfSubjectAccessReviewObject>(
  'authorization.k8s.io/v1',
  'SelfSubjectAccessReview',
  'selfsubjectaccessreviews',
  'Cluster',
);
/** SelfSubjectRulesReview, authorization.k8s.io/v1. */
export const SelfSubjectRulesReview = kind<SelfSubjectRulesReviewObject>(
  'authorization.k8s.io/v1',
  'SelfSubjectRulesReview',
  'selfsubjectrulesreviews',
  'Cluster',
);
/** SubjectAccessReview, authorization.k8s.io/v1. */
export const SubjectAccessReview = kind<SubjectAccessReviewObject>(
  'authorization.k8s.io/v1',
  'SubjectAccessReview',
  'subjectaccessreviews',
  'Cluster',
);
/** TokenReview, authentication.k8s.io/v1. */
export const TokenReview = kind<TokenReviewObject>(
  'authentication.k8s.io/v1',
  'TokenReview',
  'tokenreviews',
  'Cluster',
);
