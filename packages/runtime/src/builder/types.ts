/** The types that authors of operators use: options, what a pass gets, what it returns. */
import type { IndexFunctions, Informer } from '../cache/informer.ts';
import type { Client } from '../client/client.ts';
import type { ResourceType } from '../client/resource.ts';
import type { ControllerOptions } from '../controller/options.ts';
import type { Predicate } from '../controller/predicates.ts';
import type { ReconcileContext, Reconciler } from '../controller/reconciler.ts';
import type { EventType } from '../events/event.ts';
import type { Result } from '../model/result.ts';
import type { Condition, KubernetesObject, ObjectKey, Stored } from '../model/types.ts';
import type { ConditionText, ConditionUpdate } from '../objects/conditions.ts';
import type { Mutate } from '../objects/create-or-update.ts';

/** Status fields that the builder writes. Your own fields are stored next to them. */
export interface StandardStatus {
  observedGeneration?: number | undefined;
  /** `Ready`, `Progressing` or `Stalled`, derived from the conditions. */
  phase?: string | undefined;
  conditions?: Condition[] | undefined;
}

/** An object with a status of the usual shape. */
export interface Managed extends KubernetesObject {
  status?: StandardStatus | undefined;
}

/** A status draft: your fields and the standard ones, all optional. */
export type StatusDraft<T extends Managed> = Partial<NonNullable<T['status']>> & StandardStatus;

/** One pass over one object, with everything needed to bring the object to its spec. */
export interface Pass<T extends Managed> extends ReconcileContext {
  /** The object as cached, with everything that this process wrote to it. Do not change it: it is shared. */
  readonly object: Stored<T>;
  /** Its namespace and name. */
  readonly key: ObjectKey;
  /** Its writes are visible in the caches at once, and are refused when this process no longer leads. */
  readonly client: Client;
  /** The status draft; written after the pass, whether it succeeded or threw, and only if it changed. */
  readonly status: StatusDraft<T>;
  /**
   * Creates or updates a child that this object controls. Only the fields that you set are compared; if they already
   * match, no request is sent. If one differs, the child is replaced by your draft: a field that you left out of an
   * object that you assigned as a whole goes then, or gets its default. `null` asks for a field's absence. `name` alone
   * is in the object's namespace; a cluster-scoped object names the namespace of its children: `{ namespace, name }`.
   *
   * Throws `NotOwnedError` or `AlreadyOwnedError` (configuration errors) for an object that this one does not
   * control.
   */
  ensure<O extends KubernetesObject>(
    type: ResourceType<O>,
    name: string | ObjectKey,
    change: Mutate<O>,
  ): Promise<Stored<O>>;
  /** Deletes a child if this object controls it; true when there was one. */
  remove<O extends KubernetesObject>(type: ResourceType<O>, name: string | ObjectKey): Promise<boolean>;
  /**
   * Reads an object of a kind passed to `owns` or `watches` from the cache. `name` alone is in the object's
   * namespace.
   */
  cached<O extends KubernetesObject>(type: ResourceType<O>, name: string | ObjectKey): Stored<O> | undefined;
  /** Records an Event about the object and returns at once. The builder already records changes of `Ready`. */
  event(type: EventType, reason: string, message: string): void;
  /** Sets a condition of your own next to the standard ones. */
  condition(update: ConditionUpdate): void;
}

/**
 * The result of a pass. No result means Ready.
 * - `ready`: Ready, with your own reason and message.
 * - `reconciling`: not ready yet; an event or `requeueAfterMs` starts the next pass.
 * - Throw a `ConfigurationError` when a person has to act.
 */
export interface PassResult extends Result {
  /** Reason and message of `Ready`. */
  readonly ready?: ConditionText;
  /** Reason and message of `Reconciling`: what the object waits for. */
  readonly reconciling?: ConditionText;
}

/** The return type of a pass; `undefined` means Ready. */
// biome-ignore lint/suspicious/noConfusingVoidType: a pass that returns nothing has succeeded
export type PassOutcome = PassResult | undefined | void;

/** How a pass ended, for `summary`. */
export type Ending<T extends Managed> =
  | { readonly state: 'ready' | 'reconciling'; readonly text: ConditionText; readonly pass: Pass<T> }
  | {
      readonly state: 'stalled' | 'failing';
      readonly text: ConditionText;
      readonly pass: Pass<T>;
      readonly error: unknown;
    };

/** How much of a kind is cached. */
export interface KindOptions<O extends KubernetesObject> {
  /** Only objects with these labels are cached. */
  readonly labelSelector?: string | undefined;
  /** Only objects with these fields are cached, such as `metadata.name=settings`. */
  readonly fieldSelector?: string | undefined;
  /** Predicate: only events for which this holds. */
  readonly when?: Predicate<Stored<O>> | undefined;
  /** Indexes of the cache, by name. */
  readonly indexes?: IndexFunctions<Stored<O>> | undefined;
  /**
   * For `owns`: labels that every child gets. The informer selects by them, so no other object of the kind is cached.
   * `app.kubernetes.io/managed-by: <name>` unless given.
   */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Maps a watched object to the keys to enqueue. */
export type MapToKeys<O extends KubernetesObject, T extends KubernetesObject> = (
  object: Stored<O>,
  /** The operator's own kind as the builder knows it. */
  primary: Informer<Stored<T>>['store'],
) => Iterable<ObjectKey>;

/** Options of an operator besides its functions. All of them have defaults. */
export interface OperatorSettings<T extends Managed> {
  /** Name in logs, metrics, Events and the Lease. The kind in lower case unless given. */
  readonly name?: string | undefined;
  /** The finalizer's name, where there is a cleanup. `<group>/<name>` unless given. */
  readonly finalizer?: string | undefined;
  /** How many objects are reconciled concurrently. 4 unless given. */
  readonly concurrency?: number | undefined;
  /** Resync interval: reconcile again after this long, even without an event. 10 minutes unless given; 0 for never. */
  readonly resyncMs?: number | undefined;
  /** Requeue interval after a configuration error. 5 minutes unless given. */
  readonly configurationRetryMs?: number | undefined;
  /** Timeout of a pass: then its signal aborts. 60 s unless given. */
  readonly timeoutMs?: number | undefined;
  /** Retries after a failure before the key is dropped until its next event. No limit unless given. */
  readonly maxRetries?: number | undefined;
  /** Backoff, rate limits and debouncing of the queue. */
  readonly queue?: ControllerOptions<ObjectKey>['queue'];
  /** Only objects that carry these labels. */
  readonly labelSelector?: string | undefined;
  /**
   * Which events of the kind's own objects start a pass. Unless given: every change of the spec (`generationChanged`);
   * for a kind without a generation, such as ConfigMap, every change.
   */
  readonly when?: Predicate<Stored<T>> | undefined;
  /**
   * True: the CustomResourceDefinition may be installed later, or never; nothing waits for it, and reconciling begins
   * when it is there. False unless given: then a missing definition ends the program after two minutes, with a
   * message that names it.
   */
  readonly optional?: boolean | undefined;
  /**
   * False: no status is written, for a kind whose status belongs to others, such as Namespace or Pod, or that has none.
   * A failed pass is then told by an Event and the log. True unless given.
   */
  readonly status?: boolean | undefined;
  /** Whether `status.phase` is written; false for a kind whose schema has none. True unless given. */
  readonly phase?: boolean | undefined;
  /** Whether `status.observedGeneration` is written after every pass; false where yours means something else. */
  readonly observedGeneration?: boolean | undefined;
  /** Whether a change of `Ready` is recorded as an Event; false if your passes record their own. True unless given. */
  readonly transitionEvents?: boolean | undefined;
  /** Writes the conditions, in place of `Ready`, `Reconciling` and `Stalled`. */
  readonly summary?: ((ending: Ending<T>, status: StatusDraft<T>, now: number) => void) | undefined;
  /** Wraps every pass including its status write, to measure or trace it. It sees errors as thrown. */
  readonly wrap?: ((pass: Reconciler) => Reconciler) | undefined;
  /** Called at least once after an object was deleted, so that you can drop per-object state. */
  readonly gone?: ((key: ObjectKey) => void) | undefined;
}
