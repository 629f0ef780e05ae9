/** The parts of a workload that are read. Fields may be missing or malformed: custom resources are read here, too. */
import type { KubernetesObject, ObjectMeta } from '@reloader/runtime';
import type { podFacts } from './pod-facts.ts';
import { isCustom, type WorkloadKind } from './workload.ts';

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
  podManagementPolicy?: string;
  updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
  selector?: Record<string, unknown>;
  workloadRef?: { apiVersion?: string; kind?: string; name?: string };
}

export interface WorkloadStatus {
  /** Argo writes it as a string. */
  observedGeneration?: number | string;
  replicas?: number;
  updatedReplicas?: number;
  availableReplicas?: number;
  desiredNumberScheduled?: number;
  currentNumberScheduled?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  active?: number;
  /** Argo: the controller's own pause between two steps. */
  pauseConditions?: unknown[];
  conditions?: { type?: string; status?: string; reason?: string }[];
}

export interface WorkloadObject extends KubernetesObject {
  spec?: WorkloadSpec;
  status?: WorkloadStatus;
}

/** The pod template, by kind. */
export function templateOf({ spec }: WorkloadObject, kind: WorkloadKind): PodTemplate {
  const template = (kind === 'CronJob' ? spec?.jobTemplate?.spec?.template : spec?.template) ?? {};
  // The API server drops nulls such as `env: null` in built-in kinds, and keeps them in custom resources.
  return isCustom(kind) ? withoutNulls(template) : template;
}

function withoutNulls<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls) as T;
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([name, inner]) => [name, withoutNulls(inner)])) as T;
}
