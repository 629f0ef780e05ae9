/** Evictions: deletions of pods that respect the PodDisruptionBudget. */
import { cloneJson } from '../../model/json-clone.ts';
import type { KubeObject } from '../../model/object.ts';
import { badRequest, forbidden, internalError, notFound, StatusError } from '../../model/status.ts';
import type { ApiResponse } from '../../request/request.ts';
import { readTyped } from '../../schema/typed.ts';
import { selectsLabels } from '../../selectors/selector-text.ts';
import { parseBody } from '../body.ts';
import { isDryRun, type ResourceCall } from '../call.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import { type DeleteOptions, deleteObject } from '../operations/delete.ts';
import { storeDirectly } from '../operations/store-directly.ts';
import { readObject } from '../operations/update.ts';
import { respond, successStatus } from '../respond.ts';

interface Budget extends KubeObject {
  spec: { selector?: object; unhealthyPodEvictionPolicy?: string };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    disruptedPods?: Record<string, string>;
    conditions?: { type: string; [field: string]: unknown }[];
  };
}

interface Eviction {
  metadata?: { name?: string; namespace?: string };
  deleteOptions?: {
    gracePeriodSeconds?: number;
    propagationPolicy?: string;
    preconditions?: { uid?: string; resourceVersion?: string };
    dryRun?: string[];
  };
}

const BUDGETS = 'poddisruptionbudgets.policy';
const BUDGET = { group: 'policy', resource: 'poddisruptionbudgets' };
const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";
const MOST_DISRUPTED_PODS = 2000;

export function evict(call: ResourceCall): ApiResponse {
  const { cluster, kind, info } = call;
  const value = parseBody(call.request, 'Eviction').value as object;
  const gvk = { group: 'policy', version: 'v1', kind: 'Eviction' };
  const eviction = readTyped({ ...value, apiVersion: 'policy/v1', kind: 'Eviction' }, gvk).object as Eviction;
  if (eviction.metadata?.name && eviction.metadata.name !== info.name) {
    throw badRequest(
      `name in URL does not match name in Eviction object: ${info.name} != ${eviction.metadata.name}`,
    );
  }
  const ref = { namespace: info.namespace, name: info.name };
  const pod = readObject(cluster, kind, ref);
  if (!pod) throw notFound({ group: '', resource: 'pods' }, info.name);
  const { dryRun: wanted = [], ...wishes } = eviction.deleteOptions ?? {};
  const dryRun = isDryRun([...wanted, ...call.query.getAll('dryRun')]);
  const options: DeleteOptions = { ...wishes, dryRun };
  if (needsBudget(pod)) spendBudget(cluster, pod, dryRun);
  deleteObject(cluster, kind, ref, options);
  return respond(call, 201, { ...(successStatus(undefined) as object), code: 201 });
}

/** A pod that is not running does not count against the budget. */
function needsBudget(pod: KubeObject): boolean {
  const phase = (pod.status as { phase?: string } | undefined)?.phase;
  return phase === 'Running' && pod.metadata.deletionTimestamp === undefined;
}

/** Throws if the budget allows no further disruption; otherwise uses one up. */
function spendBudget(cluster: Cluster, pod: KubeObject, dryRun: boolean): void {
  const kind = cluster.kinds.lookup('policy', 'v1', 'poddisruptionbudgets');
  const [budget, ...others] = budgetsOf(cluster, pod);
  if (!budget || !kind) return;
  if (others.length > 0) {
    throw internalError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  if (!isReady(pod) && mayGoUnhealthy(budget)) return;
  storeDirectly(cluster, kind, spent(cluster, budget, pod.metadata.name), { dryRun });
}

function budgetsOf(cluster: Cluster, pod: KubeObject): Budget[] {
  const snapshot = cluster.store.now(BUDGETS);
  return snapshot.keys(`${pod.metadata.namespace}/`).flatMap((key) => {
    const budget = snapshot.get(key) as Budget | undefined;
    return budget && selectsLabels(budget.spec.selector, pod.metadata.labels) ? [budget] : [];
  });
}

function isReady(pod: KubeObject): boolean {
  const conditions = (pod.status as { conditions?: { type: string; status: string }[] } | undefined)
    ?.conditions;
  return conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

function mayGoUnhealthy({ spec, status }: Budget): boolean {
  if (spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** The budget with one disruption less. */
function spent(cluster: Cluster, budget: Budget, podName: string): Budget {
  const { name, generation = 0 } = budget.metadata;
  const { observedGeneration = 0, disruptionsAllowed: allowed = 0, disruptedPods = {} } = budget.status ?? {};
  if (observedGeneration < generation) {
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  if (allowed < 0) throw forbidden(BUDGET, name, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > MOST_DISRUPTED_PODS) {
    throw forbidden(
      BUDGET,
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if (allowed === 0) {
    const { desiredHealthy = 0, currentHealthy = 0 } = budget.status ?? {};
    throw tooMany(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
      0,
    );
  }
  const next = cloneJson(budget);
  const now = timestamp(cluster.clock);
  next.status = {
    ...next.status,
    disruptionsAllowed: allowed - 1,
    disruptedPods: { ...disruptedPods, [podName]: now },
    conditions: conditionsOf(next, allowed - 1, now),
  };
  return next;
}

function conditionsOf(
  budget: Budget,
  left: number,
  now: string,
): { type: string; [field: string]: unknown }[] {
  const before = budget.status?.conditions ?? [];
  if (left > 0) return before;
  const observedGeneration = budget.status?.observedGeneration ?? 0;
  return [
    ...before.filter(({ type }) => type !== 'DisruptionAllowed'),
    {
      type: 'DisruptionAllowed',
      status: 'False',
      observedGeneration,
      lastTransitionTime: now,
      reason: 'InsufficientPods',
      message: '',
    },
  ];
}

const tooMany = (why: string, retryAfterSeconds: number): StatusError =>
  new StatusError(429, 'TooManyRequests', REFUSED, {
    causes: [{ reason: 'DisruptionBudget', message: why }],
    ...(retryAfterSeconds > 0 && { retryAfterSeconds }),
  });
