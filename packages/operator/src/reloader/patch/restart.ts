/**
 * Restarting a workload without touching its template: its pods are evicted one by one, which honours disruption
 * budgets, and its controller makes new ones.
 *
 * In: a plan, as often as it takes. Out: at most one eviction per call and how long to wait for the next. Guarantees:
 * which pods are old is stored in the notebook before the first one goes, so that a crash neither spares an old pod nor
 * evicts a new one; the next goes only when all others are ready; StatefulSets go from the highest ordinal down. It is
 * done when no old pod lives, and nothing is ever written to the workload.
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
import { FIELD_MANAGER } from '../model/annotations.ts';
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import type { PatchContext } from './context.ts';
import { outcomeOf } from './outcome.ts';
import { beginning, nextToEvict, startOf } from './restart-order.ts';

const DONE: Outcome = { kind: 'done', changed: true, noteOnly: true };
const EVICTIONS: ResourceType<KubernetesObject> = kinds.Pod;
/** After an eviction, and while a pod gets ready. */
const LOOK_AGAIN_MS = 1_000;
/** What the server itself suggests when a budget allows no disruption; it names a time only sometimes. */
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
  let start = startOf(plan.evicting, plan);
  if (start === undefined) {
    const begin = beginning(pods, plan, context.clock.now());
    // Without a pod there is nothing to restart: those to come will read the new values.
    if (!begin) return DONE;
    await context.notes.beginEviction(plan, begin.note, signal);
    // New pods must be told from old ones by whole seconds: the first eviction waits for the next.
    if (begin.waitMs > 0) return goOn(begin.waitMs, 'begins to evict pods');
    start = begin.start;
  }
  const next = nextToEvict(pods, start, workload);
  if (next === 'none') return DONE;
  if ('waitFor' in next) return goOn(LOOK_AGAIN_MS, next.waitFor);
  return evict(context, next, plan, signal);
}

/** One pod, as far as disruption budgets allow. */
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
    // Somebody else was faster.
    if (error instanceof NotFoundError || error instanceof ConflictError) {
      return goOn(LOOK_AGAIN_MS, `pod ${name} is gone`);
    }
    throw error;
  }
}

/** The server names the budget in the cause only, within a sentence. */
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
