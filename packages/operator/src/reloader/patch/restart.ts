/**
 * Restarting a workload without touching its template: its pods are evicted one by one, which honours disruption
 * budgets, and its controller makes new ones.
 *
 * In: a plan, as often as it takes. Out: at most one eviction per call and how long to wait for the next. Guarantees:
 * which pods are old is written on the workload before the first one goes, so that a crash neither spares an old pod
 * nor evicts a new one; the next goes only when all others are ready; StatefulSets go from the highest ordinal down.
 * The ledger is written when no old pod lives.
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
import { FIELD_MANAGER, FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Outcome, ReloadPlan } from '../model/plan.ts';
import { type PatchContext, patchWorkload } from './context.ts';
import { annotationOperations, ledgerChange } from './ledger-operations.ts';
import { testsFirst } from './operations.ts';
import { outcomeOf } from './outcome.ts';
import { beginning, nextToEvict, startOf } from './restart-order.ts';

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
  const note = workload.annotations[FIXED_ANNOTATIONS.restarting];
  const pods = await livingPods(context.client, workload, signal);
  let start = startOf(note, plan);
  if (start === undefined) {
    const begin = beginning(pods, plan, context.clock.now());
    // Without a pod there is nothing to restart: those to come will read the new values.
    if (!begin) return finish(context, plan, signal);
    const change = { [FIXED_ANNOTATIONS.restarting]: { before: note, after: begin.note } };
    const refused = await patchWorkload(context, workload, annotationOperations(workload, change), signal);
    if (refused) return refused;
    // New pods must be told from old ones by whole seconds: the first eviction waits for the next.
    if (begin.waitMs > 0) return goOn(begin.waitMs, 'begins to evict pods');
    start = begin.start;
  }
  const next = nextToEvict(pods, start, workload);
  if (next === 'none') return finish(context, plan, signal);
  if ('waitFor' in next) return goOn(LOOK_AGAIN_MS, next.waitFor);
  return evict(context, next, plan, signal);
}

async function evict(
  { client }: PatchContext,
  { name, uid }: OwnedPod,
  { workload }: ReloadPlan,
  signal: AbortSignal,
): Promise<Outcome> {
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
      return goOn(error.retryAfterMs || BUDGET_RETRY_MS, `pod ${name} is protected: ${error.message}`);
    }
    // Somebody else was faster.
    if (error instanceof NotFoundError || error instanceof ConflictError) {
      return goOn(LOOK_AGAIN_MS, `pod ${name} is gone`);
    }
    throw error;
  }
}

/** The record, and the end of the note, in one PATCH. */
async function finish(context: PatchContext, plan: ReloadPlan, signal: AbortSignal): Promise<Outcome> {
  const { workload, ledgerBefore, ledgerAfter } = plan;
  const note = workload.annotations[FIXED_ANNOTATIONS.restarting];
  const operations = annotationOperations(workload, {
    ...ledgerChange(ledgerBefore, ledgerAfter),
    ...(note !== undefined && { [FIXED_ANNOTATIONS.restarting]: { before: note, after: undefined } }),
  });
  const refused = await patchWorkload(context, workload, testsFirst(operations), signal);
  return refused ?? { kind: 'done', changed: true };
}

function goOn(afterMs: number, message: string): Outcome {
  return { kind: 'continue', afterMs, message };
}
