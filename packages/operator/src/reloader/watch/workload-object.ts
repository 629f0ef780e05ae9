/** The parts of a workload that are read. Fields may be missing or odd: CRDs pass through here, too. */
import type { KubernetesObject, ObjectMeta } from '@reloader/runtime';
import type { podFacts } from '../model/pod-facts.ts';
import type { WorkloadKind } from '../model/workload.ts';

type PodSpec = NonNullable<Parameters<typeof podFacts>[0]>;
type Container = NonNullable<PodSpec['containers']>[number];
type Variable = NonNullable<Container['env']>[number] & { name?: string; value?: string };

export interface PodTemplate {
  metadata?: Pick<ObjectMeta, 'labels' | 'annotations'>;
  spec?: Omit<PodSpec, 'containers'> & { containers?: (Omit<Container, 'env'> & { env?: Variable[] })[] };
}

export interface WorkloadSpec {
  replicas?: number;
  paused?: boolean;
  suspend?: boolean;
  template?: PodTemplate;
  jobTemplate?: { spec?: { template?: PodTemplate } };
  updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
  selector?: Record<string, unknown>;
  workloadRef?: { apiVersion?: string; kind?: string; name?: string };
}

export interface WorkloadStatus {
  /** Argo writes it as a text. */
  observedGeneration?: number | string;
  replicas?: number;
  updatedReplicas?: number;
  availableReplicas?: number;
  desiredNumberScheduled?: number;
  currentNumberScheduled?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  active?: number;
  /** Argo: a pause of its own, between two steps. */
  pauseConditions?: unknown[];
  conditions?: { type?: string; status?: string; reason?: string }[];
}

export interface WorkloadObject extends KubernetesObject {
  spec?: WorkloadSpec;
  status?: WorkloadStatus;
}

/** Where the pod template stands. */
export function templateOf({ spec }: WorkloadObject, kind: WorkloadKind): PodTemplate {
  return (kind === 'CronJob' ? spec?.jobTemplate?.spec?.template : spec?.template) ?? {};
}
