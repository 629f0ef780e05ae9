/** The fields that the simulated controllers read and write; everything else passes through untouched. */
import type { KubeObject } from '../model/object.ts';

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  lastProbeTime?: string;
  observedGeneration?: number;
}

export interface EnvSource {
  name: string;
  valueFrom?: { configMapKeyRef?: KeyRef; secretKeyRef?: KeyRef };
}

interface KeyRef {
  name: string;
  key: string;
  optional?: boolean;
}

export interface Container {
  name: string;
  image?: string;
  env?: EnvSource[];
  envFrom?: { configMapRef?: OptionalRef; secretRef?: OptionalRef }[];
}

interface OptionalRef {
  name: string;
  optional?: boolean;
}

export interface PodSpec {
  nodeName?: string;
  restartPolicy?: string;
  containers: Container[];
  initContainers?: Container[];
  volumes?: {
    name: string;
    configMap?: { name: string; optional?: boolean };
    secret?: { secretName: string; optional?: boolean };
    [source: string]: unknown;
  }[];
  terminationGracePeriodSeconds?: number;
  readinessGates?: { conditionType: string }[];
  nodeSelector?: Record<string, string>;
  [field: string]: unknown;
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  state: Record<string, unknown>;
  lastState?: Record<string, unknown>;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: {
    phase?: string;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
    startTime?: string;
    podIP?: string;
    hostIP?: string;
    reason?: string;
    message?: string;
    [field: string]: unknown;
  };
}

export interface PodTemplate {
  metadata?: {
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [field: string]: unknown;
  };
  spec: PodSpec;
}

export type IntOrPercent = number | string;

export interface Deployment extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    paused?: boolean;
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    progressDeadlineSeconds?: number;
    strategy?: { type?: string; rollingUpdate?: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent } };
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    unavailableReplicas?: number;
    terminatingReplicas?: number;
    collisionCount?: number;
    conditions?: Condition[];
  };
}

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; minReadySeconds?: number; selector: LabelSelector; template: PodTemplate };
  status?: {
    replicas: number;
    fullyLabeledReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    terminatingReplicas?: number;
    observedGeneration?: number;
    conditions?: Condition[];
  };
}

export interface StatefulSet extends KubeObject {
  spec: {
    replicas?: number;
    serviceName?: string;
    minReadySeconds?: number;
    podManagementPolicy?: string;
    revisionHistoryLimit?: number;
    selector: LabelSelector;
    template: PodTemplate;
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number; maxUnavailable?: IntOrPercent } };
    volumeClaimTemplates?: { metadata: { name: string; [field: string]: unknown }; spec: unknown }[];
    ordinals?: { start?: number };
  };
  status?: {
    observedGeneration?: number;
    replicas: number;
    readyReplicas?: number;
    availableReplicas?: number;
    currentReplicas?: number;
    updatedReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    collisionCount?: number;
  };
}

export interface DaemonSet extends KubeObject {
  spec: {
    selector: LabelSelector;
    template: PodTemplate;
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    updateStrategy?: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: IntOrPercent; maxSurge?: IntOrPercent };
    };
  };
  status?: Record<string, unknown>;
}

export interface ControllerRevision extends KubeObject {
  revision: number;
  data?: unknown;
}

export interface Job extends KubeObject {
  spec: {
    parallelism?: number;
    completions?: number;
    backoffLimit?: number;
    suspend?: boolean;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    completionMode?: string;
    selector?: LabelSelector;
    template: PodTemplate;
  };
  status?: {
    active?: number;
    ready?: number;
    succeeded?: number;
    failed?: number;
    terminating?: number;
    startTime?: string;
    completionTime?: string;
    uncountedTerminatedPods?: object;
    conditions?: Condition[];
  };
}

export interface CronJob extends KubeObject {
  spec: {
    schedule: string;
    timeZone?: string;
    suspend?: boolean;
    concurrencyPolicy?: string;
    startingDeadlineSeconds?: number;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
    jobTemplate: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec: Job['spec'];
    };
  };
  status?: { active?: object[]; lastScheduleTime?: string; lastSuccessfulTime?: string };
}

export interface PodDisruptionBudget extends KubeObject {
  spec: { selector?: LabelSelector; minAvailable?: IntOrPercent; maxUnavailable?: IntOrPercent };
  status?: Record<string, unknown>;
}
