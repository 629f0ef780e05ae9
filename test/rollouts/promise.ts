/**
 * The promise of a workload's spec about its pods when one of them is deleted. Pure: a spec and pods in, numbers out.
 *
 * Recreate and OnDelete promise nothing. Nor does a Deployment while it is paused, or is scaled in mid-rollout: it
 * distributes pods among its ReplicaSets by their size, good ones and bad ones alike. Nor does a DaemonSet that stops
 * surging in mid-surge: of two pods on a node it keeps the older one, whichever serves. Real controllers do the same.
 */
import type { WorkloadKind } from './plan.ts';
import { NODES } from './subject.ts';

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; lastTransitionTime?: string }[];
  };
}

type Amount = number | string | undefined;

export interface Spec {
  readonly paused?: boolean;
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly ordinals?: { readonly start?: number };
  readonly podManagementPolicy?: string;
  readonly strategy?: Strategy;
  readonly updateStrategy?: Strategy;
}

interface Strategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly maxSurge?: Amount; readonly maxUnavailable?: Amount };
}

/** A deletion: the deleted pod, and the others that exist after it. */
export interface Deletion {
  readonly kind: WorkloadKind;
  readonly gone: Pod;
  readonly others: readonly Pod[];
}

export interface Count {
  /** Available pods after the deletion. */
  readonly left: number;
  /** The least number that must be available. */
  readonly least: number;
}

/** Undefined if nothing was promised, or if the deleted pod did not serve. */
export function promised(spec: Spec, { kind, gone, others }: Deletion, now: number): Count | undefined {
  const strategy = spec.strategy ?? spec.updateStrategy;
  const { replicas = 1, minReadySeconds = 0 } = spec;
  const available = (pod: Pod): boolean => isAvailable(pod, minReadySeconds, now);
  if (strategy?.type !== 'RollingUpdate' || spec.paused || !available(gone)) return undefined;
  const { maxSurge, maxUnavailable } = strategy.rollingUpdate ?? {};
  switch (kind) {
    case 'Deployment': {
      const surge = amount(maxSurge, replicas, Math.ceil);
      const missing = amount(maxUnavailable, replicas, Math.floor);
      const allowed = surge === 0 && missing === 0 ? 1 : missing;
      return { left: others.filter(available).length, least: replicas - allowed };
    }
    case 'StatefulSet': {
      const { ordinals = {}, podManagementPolicy } = spec;
      const { start = 0 } = ordinals;
      // With `Parallel`, a StatefulSet considers only the pods above the one that it replaces.
      const from = podManagementPolicy === 'Parallel' ? ordinalOf(gone) : start;
      const counts = (pod: Pod): boolean => ordinalOf(pod) >= from && ordinalOf(pod) < start + replicas;
      if (!counts(gone)) return undefined;
      const left = others.filter((pod) => counts(pod) && available(pod)).length;
      return { left, least: start + replicas - from - 1 };
    }
    case 'DaemonSet': {
      const nodes = new Set(others.filter(available).map((pod) => pod.spec.nodeName));
      return { left: nodes.size, least: NODES - amount(maxUnavailable, NODES, Math.ceil) };
    }
  }
}

/** True if no promise holds during the change from one spec to the next. */
export function suspendsPromise(before: Spec, after: Spec, { kind, gone, others }: Deletion): boolean {
  if (kind === 'DaemonSet') return surges(before) && !surges(after);
  const versions = new Set([gone, ...others].map(({ metadata }) => metadata.labels?.['pod-template-hash']));
  return kind === 'Deployment' && before.replicas !== after.replicas && versions.size > 1;
}

function surges({ updateStrategy }: Spec): boolean {
  return amount(updateStrategy?.rollingUpdate?.maxSurge, NODES, Math.ceil) > 0;
}

function isAvailable({ status }: Pod, minReadySeconds: number, now: number): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return false;
  return Date.parse(ready.lastTransitionTime ?? '') + minReadySeconds * 1000 <= now;
}

function ordinalOf({ metadata }: Pod): number {
  return Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1));
}

function amount(value: Amount, total: number, round: (exact: number) => number): number {
  if (typeof value === 'number') return value;
  return round((Number.parseInt(value ?? '0', 10) * total) / 100);
}
