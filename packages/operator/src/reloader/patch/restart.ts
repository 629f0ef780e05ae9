/**
 * Restarts a workload without a change of its template: evicts its pods one by one, within PodDisruptionBudgets, and
 * its controller creates new ones.
 *
 * In: a plan, once for each step. Out: at most one eviction per call, and the delay until the next call. Guarantees:
 * the notebook stores which pods are old before the first eviction, so that a crash neither spares an old pod nor
 * evicts a new one; a ready pod is evicted only when all wanted pods exist and the new ones are ready; StatefulSets go
 * from the highest ordinal down. It is done when no old pod lives. The workload is never written to.
 */
import {
  ConflictError,
  type KubernetesObject,
  kinds,
  NotFoundError,
  type ResourceType,
  TooManyRequestsError,
} from '@reloader/runtime';
import { livingPods, type OwnedPod } from '../evidence/owned-pods.ts';
import { evictionStart } from '../ledger/eviction.ts';
import { FIELD_MANAGER } from '../model/annotations.ts';
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import type { PatchContext } from './context.ts';
import { outcomeOf } from './outcome.ts';
import { beginning, nextToEvict } from './restart-order.ts';

const DONE: Outcome = { kind: 'done', changed: true, noteOnly: true };
const EVICTIONS: ResourceType<KubernetesObject> = kinds.Pod;
/** The delay after an eviction, and while a pod is not ready. */
const LOOK_AGAIN_MS = 1_000;
/** The retry delay if a budget allows no disruption: the API server suggests it, too, but only sometimes sends one. */
const BUDGET_RETRY_MS = 5_000;

export async function restart(
  context: PatchContext,
  plan: ReloadPlan,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return await step(context, plan, signal);
  } catch (error) {
    return outcomeOf(error);
  }
}

async function step(context: PatchContext, plan: ReloadPlan, signal: AbortSignal): Promise<Outcome> {
  const { workload } = plan;
  const pods = await livingPods(context.client, workload, signal);
  let start = evictionStart(plan.evicting, plan);
  if (start === undefined) {
    const begin = beginning(pods, plan, context.clock.now());
    // Without a pod there is nothing to restart: future pods will read the new values.
    if (!begin) return DONE;
    await context.notes.beginEviction(plan, begin.note, signal);
    // Creation times are whole seconds: wait for the next second, so that new pods differ from old ones.
    if (begin.waitMs > 0) return goOn(begin.waitMs, 'begins to evict pods');
    start = begin.start;
  }
  const next = nextToEvict(pods, start, workload);
  if (next === 'none') return DONE;
  if ('waitFor' in next) return goOn(LOOK_AGAIN_MS, next.waitFor);
  return evict(context, next, plan, signal);
}

/** Evicts one pod, if its PodDisruptionBudgets allow it. */
export async function evict(
  { client }: PatchContext,
  { name, uid }: OwnedPod,
  { workload }: Pick<ReloadPlan, 'workload'>,
  signal: AbortSignal,
): Promise<Extract<Outcome, { kind: 'continue' }>> {
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { namespace: workload.metadata.namespace, name },
    deleteOptions: { preconditions: { uid } },
  };
  try {
    await client.create<KubernetesObject>(EVICTIONS, eviction, {
      subresource: 'eviction',
      fieldManager: FIELD_MANAGER,
      signal,
    });
    return goOn(LOOK_AGAIN_MS, `evicted pod ${name}`);
  } catch (error) {
    if (error instanceof TooManyRequestsError && error.hasCause('DisruptionBudget')) {
      return protectedPod(name, error);
    }
    // The pod was deleted or replaced in the meantime.
    if (error instanceof NotFoundError || error instanceof ConflictError) {
      return goOn(LOOK_AGAIN_MS, `pod ${name} is gone`);
    }
    throw error;
  }
}

/** The API server names the budget only in the text of the cause. */
const BUDGET_NAME = /disruption budget (\S+)/i;

function protectedPod(pod: string, error: TooManyRequestsError): Extract<Outcome, { kind: 'continue' }> {
  const cause = error.causes.find(({ reason }) => reason === 'DisruptionBudget');
  const message = cause?.message ?? error.message;
  const [, budget = ''] = BUDGET_NAME.exec(message) ?? [];
  return {
    ...goOn(error.retryAfterMs || BUDGET_RETRY_MS, `pod ${pod} is protected: ${message}`),
    protectedBy: { pod, budget, message },
  };
}

function goOn(afterMs: number, message: string): Extract<Outcome, { kind: 'continue' }> {
  return { kind: 'continue', afterMs, message };
}
