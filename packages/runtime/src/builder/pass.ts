/**
 * One pass over one object.
 *
 * In: a key, the caches, the author's functions. Out: the children they asked for, and a status that says how the
 * pass ended, also when they threw. Guarantees: where there is a cleanup, the finalizer is on the object before the
 * first reconcile; the status is written at most once, and only the changed fields; an error keeps its class and
 * reaches the queue.
 */
import type { Informer } from '../cache/informer.ts';
import type { Client } from '../client/client.ts';
import { type ResourceType, resourceName } from '../client/resource.ts';
import { type ErrorPolicyOptions, withErrorPolicy } from '../controller/error-policy.ts';
import { isSuperseded } from '../controller/errors.ts';
import type { ReconcileContext, Reconciler } from '../controller/reconciler.ts';
import { referenceTo } from '../events/event.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { Result } from '../model/result.ts';
import { type KubernetesObject, keyOf, type Stored } from '../model/types.ts';
import { deleteIfOwned } from '../objects/components.ts';
import { phaseOf, setCondition } from '../objects/conditions.ts';
import { createOrUpdate } from '../objects/create-or-update.ts';
import { withFinalizer } from '../objects/finalizers.ts';
import { setControllerReference } from '../objects/owners.ts';
import { type WithStatus, withStatus } from '../objects/status.ts';
import { childLabels, type Declaration, finalizerOf, keyFor } from './declaration.ts';
import { endingOf, endingOfError, readyOf, standardSummary, transitionOf } from './summary.ts';
import type { Ending, Managed, Pass, PassOutcome, PassResult, StatusDraft } from './types.ts';

export interface PassParts<T extends Managed> {
  readonly declaration: Declaration<T>;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly primary: Informer<Stored<T>>;
  /** Keyed by resource name. */
  readonly others: ReadonlyMap<string, Informer<Stored<KubernetesObject>>>;
}

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
    return await withFinalizer<T, Result>(key, {
      client,
      type,
      finalizer: finalizerOf(declaration),
      signal: context.signal,
      clock: context.clock,
      fetch: () => primary.store.get(key),
      reconcile,
      cleanup: (object) => cleaned(parts, object, context),
    });
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

/** Runs the author's function with a status draft, and writes the draft afterwards even if the function threw. */
async function withReport<T extends Managed>(
  parts: PassParts<T>,
  object: Stored<T>,
  context: ReconcileContext,
  work: (pass: Pass<T>) => Promise<PassOutcome>,
  what: 'reconcile' | 'cleanup',
): Promise<PassResult> {
  const { declaration, client, events } = parts;
  const { settings } = declaration;
  // The draft's type matches `withStatus`: it writes this object's own status.
  const type = declaration.type as ResourceType<WithStatus>;
  const before = readyOf(object.status);
  let after = before;
  let failed = false;
  const run = async (draft: object): Promise<PassResult> => {
    const status = draft as StatusDraft<T>;
    const pass = createPass(parts, object, context, status);
    const conclude = (ending: Ending<T>): void => {
      (settings.summary ?? standardSummary)(ending, status, context.clock.now());
      const { generation } = object.metadata;
      if (generation !== undefined && (settings.observedGeneration ?? true))
        status.observedGeneration = generation;
      if (settings.phase ?? true) status.phase = phaseOf(status.conditions);
      failed = ending.state === 'stalled' || ending.state === 'failing';
      after = readyOf(status);
    };
    let outcome: PassOutcome;
    try {
      outcome = await work(pass);
    } catch (error) {
      // Cancelled, or superseded by a newer event: neither says anything about the object.
      if (!context.signal.aborted && !isSuperseded(error)) conclude(endingOfError(pass, error));
      throw error;
    }
    // The object is gone after its cleanup: there is no status left to write.
    if (what === 'reconcile' || outcome) conclude(endingOf(pass, outcome));
    return outcome ?? {};
  };
  try {
    return await withStatus(client, type, object as Stored<WithStatus>, run, context);
  } finally {
    const told = (settings.transitionEvents ?? true) && transitionOf(before, after, failed);
    if (told) events.record(referenceTo(declaration.type, object), told.type, told.reason, told.message);
  }
}

function resultOf(outcome: PassResult, otherwise: Result): Result {
  const { requeueAfterMs, requeue, priority, error } = outcome;
  const asked = requeueAfterMs !== undefined || requeue || error !== undefined;
  return {
    ...(asked ? {} : otherwise),
    ...(requeueAfterMs !== undefined && { requeueAfterMs }),
    ...(requeue !== undefined && { requeue }),
    ...(priority !== undefined && { priority }),
    ...(error !== undefined && { error }),
  };
}

function createPass<T extends Managed>(
  { declaration, client, events, others }: PassParts<T>,
  object: Stored<T>,
  context: ReconcileContext,
  status: StatusDraft<T>,
): Pass<T> {
  const { signal, clock } = context;
  const { type: owner } = declaration;
  const { namespace } = object.metadata;
  const informerOf = <O extends KubernetesObject>(type: ResourceType<O>): Informer<Stored<O>> => {
    const found = others.get(resourceName(type));
    if (found) return found as unknown as Informer<Stored<O>>;
    throw new TypeError(
      `${owner.kind} operator: ${type.kind} is not watched: add .owns() or .watches() of ${type.kind}, or read it with pass.client`,
    );
  };
  return {
    object,
    key: keyOf(object),
    client,
    status,
    signal,
    clock,
    superseded: context.superseded,
    get logger() {
      return context.logger;
    },
    get reconcileID() {
      return context.reconcileID;
    },
    attempt: context.attempt,
    isLastAttempt: context.isLastAttempt,
    get reason() {
      return context.reason;
    },
    async ensure(type, name, change) {
      const key = keyFor(type, name, namespace);
      const { store } = informerOf(type);
      const mutate = async (draft: KubernetesObject): Promise<void> => {
        setControllerReference(draft, owner, object, { adopt: false });
        draft.metadata = {
          ...draft.metadata,
          labels: { ...draft.metadata?.labels, ...childLabels(declaration, type) },
        };
      };
      const options = { live: store.get(key) ?? null, signal, clock };
      const { object: written } = await createOrUpdate(
        client,
        type,
        key,
        async (draft) => {
          await mutate(draft);
          await change(draft);
        },
        options,
      );
      return written;
    },
    async remove(type, name) {
      const key = keyFor(type, name, namespace);
      return (await deleteIfOwned(client, type, key, object, { signal, clock })) === 'deleted';
    },
    cached: (type, name) => informerOf(type).store.get(keyFor(type, name, namespace)),
    event: (type, reason, message) => events.record(referenceTo(owner, object), type, reason, message),
    condition: (update) => {
      const { generation: observedGeneration } = object.metadata;
      const stamped = { ...(observedGeneration !== undefined && { observedGeneration }), ...update };
      status.conditions = setCondition(status.conditions, stamped, clock.now());
    },
  };
}
