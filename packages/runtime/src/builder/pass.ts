/**
 * One pass over one object.
 *
 * In: a key, the caches, the author's functions. Out: the children they asked for, and a status that says how the
 * pass ended, also when they threw. Guarantees: where there is a cleanup, the finalizer is on the object before the
 * first reconcile; the status is written at most once, and only the changed fields; an error keeps its class and
 * reaches the queue.
 */
import { type ErrorPolicyOptions, withErrorPolicy } from '../controller/error-policy.ts';
import type { ReconcileContext, Reconciler } from '../controller/reconciler.ts';
import type { Result } from '../model/result.ts';
import type { Stored } from '../model/types.ts';
import { withFinalizer } from '../objects/finalizers.ts';
import type { PassParts } from './create-pass.ts';
import { finalizerOf } from './declaration.ts';
import { withReport } from './report.ts';
import type { Managed, PassResult } from './types.ts';

const RESYNC_MS = 600_000;

export function createPassReconciler<T extends Managed>(parts: PassParts<T>): Reconciler {
  const { declaration, client, primary } = parts;
  const { type, settings, cleanup } = declaration;
  const policy: ErrorPolicyOptions =
    settings.configurationRetryMs === undefined
      ? {}
      : { configurationRetryMs: settings.configurationRetryMs };
  const { wrap = (pass: Reconciler) => pass } = settings;
  const onePass: Reconciler = async (key, context) => {
    if (!primary.store.get(key)) settings.gone?.(key);
    const reconcile = (object: Stored<T>): Promise<Result> => oneObject(parts, object, context);
    if (!cleanup) {
      const object = primary.store.get(key);
      return object && !object.metadata.deletionTimestamp ? await reconcile(object) : undefined;
    }
    let told = false;
    const telling =
      <R>(work: (object: Stored<T>) => Promise<R>) =>
      (object: Stored<T>): Promise<R> =>
        work(object).catch((error: unknown) => {
          told = true;
          throw error;
        });
    try {
      return await withFinalizer<T, Result>(key, {
        client,
        type,
        finalizer: finalizerOf(declaration),
        signal: context.signal,
        clock: context.clock,
        fetch: () => primary.store.get(key),
        reconcile: telling(reconcile),
        cleanup: telling((object) => cleaned(parts, object, context)),
      });
    } catch (error) {
      const object = primary.store.get(key);
      // The finalizer could not be added or removed: the status says why, as for any other failure.
      if (!told && object) await withReport(parts, object, context, () => Promise.reject(error), 'reconcile');
      throw error;
    }
  };
  return withErrorPolicy(wrap(onePass), policy);
}

/** A cleanup that returns `reconciling` keeps the finalizer. Without `requeueAfterMs` it is called again soon. */
async function cleaned<T extends Managed>(
  parts: PassParts<T>,
  object: Stored<T>,
  context: ReconcileContext,
): Promise<Result | undefined> {
  const { cleanup } = parts.declaration;
  const later = await withReport(parts, object, context, async (pass) => await cleanup?.(pass), 'cleanup');
  return later.reconciling || later.requeue || later.requeueAfterMs !== undefined
    ? resultOf(later, { requeue: true })
    : undefined;
}

async function oneObject<T extends Managed>(
  parts: PassParts<T>,
  object: Stored<T>,
  context: ReconcileContext,
): Promise<Result> {
  const { reconcile, settings } = parts.declaration;
  const outcome = await withReport(parts, object, context, reconcile, 'reconcile');
  const { resyncMs = RESYNC_MS } = settings;
  return resultOf(outcome, resyncMs > 0 ? { requeueAfterMs: resyncMs } : {});
}

function resultOf(outcome: PassResult, otherwise: Result): Result {
  const { requeueAfterMs, requeue, priority } = outcome;
  const asked = requeueAfterMs !== undefined || requeue;
  return {
    ...(asked ? {} : otherwise),
    ...(requeueAfterMs !== undefined && { requeueAfterMs }),
    ...(requeue !== undefined && { requeue }),
    ...(priority !== undefined && { priority }),
  };
}
