/** What an author of an operator gets and gives. */
import type { IndexFunctions, Informer, InformerEvent } from '../cache/informer.ts';
import type { Client } from '../client/client.ts';
import type { ResourceType } from '../client/resource.ts';
import type { ControllerOptions } from '../controller/options.ts';
import type { ReconcileContext, Reconciler } from '../controller/reconciler.ts';
import type { EventType } from '../events/event.ts';
import type { Result } from '../model/result.ts';
import type { Condition, KubernetesObject, ObjectKey, Stored } from '../model/types.ts';
import type { ConditionText, ConditionUpdate } from '../objects/conditions.ts';
import type { Mutate } from '../objects/create-or-update.ts';

/** The fields of a status that the builder looks after. Yours stand beside them. */
export interface StandardStatus {
  observedGeneration?: number | undefined;
  /** `Ready` or `Progressing`, derived from the conditions. */
  phase?: string | undefined;
  conditions?: Condition[] | undefined;
}

/** An object with a status of the usual shape. */
export interface Managed extends KubernetesObject {
  status?: StandardStatus | undefined;
}

/** A status while it is being made: your fields and the standard ones, each of them optional. */
export type StatusDraft<T extends Managed> = Partial<NonNullable<T['status']>> & StandardStatus;

/** One look at one object, with everything that it takes to bring it to what its spec says. */
export interface Pass<T extends Managed> extends ReconcileContext {
  readonly object: Stored<T>;
  readonly key: ObjectKey;
  /** Writes through this one are seen by the caches at once, and refused when this process no longer leads. */
  readonly client: Client;
  /** Yours to change; written after the pass, whether it succeeded or threw, and only if something changed. */
  readonly status: StatusDraft<T>;
  /**
   * Creates or updates a child that this object controls. Only what you set is compared and written; a pass over what is
   * right already sends no request. `name` is in the object's namespace.
   *
   * Throws `NotOwnedError` or `AlreadyOwnedError` (configuration errors) for an object that is not ours.
   */
  ensure<O extends KubernetesObject>(
    type: ResourceType<O>,
    name: string,
    change: Mutate<O>,
  ): Promise<Stored<O>>;
  /** Deletes a child if this object controls it; true when there was one. */
  remove<O extends KubernetesObject>(type: ResourceType<O>, name: string): Promise<boolean>;
  /** An object of a kind given to `owns` or `watches`, from memory. `name` alone is in the object's namespace. */
  cached<O extends KubernetesObject>(type: ResourceType<O>, name: string | ObjectKey): Stored<O> | undefined;
  /** An Event about the object; returns at once. Changes of `Ready` have theirs already. */
  event(type: EventType, reason: string, message: string): void;
  /** Sets a condition of your own beside the standard ones. */
  condition(update: ConditionUpdate): void;
}

/**
 * What a pass comes to. Nothing means that the object is Ready.
 * - `ready`: Ready, in words of your own.
 * - `reconciling`: not yet; it goes on by itself, through an event or `requeueAfterMs`.
 * - To say that somebody has to act, throw a `ConfigurationError`.
 */
export interface PassResult extends Result {
  readonly ready?: ConditionText;
  readonly reconciling?: ConditionText;
}

/** What a pass may return; nothing at all means Ready. */
// biome-ignore lint/suspicious/noConfusingVoidType: a pass that ends without a word has succeeded
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

/** What is kept in memory of a kind. */
export interface KindOptions<O extends KubernetesObject> {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Only events for which this holds. */
  readonly when?: ((event: InformerEvent<Stored<O>>) => boolean) | undefined;
  readonly indexes?: IndexFunctions<Stored<O>> | undefined;
  /**
   * For `owns`: the labels that every child gets, and by which it is watched, so that no other object of the kind is held
   * in memory. `app.kubernetes.io/managed-by: <name>` unless given.
   */
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** How a watched object leads to the objects that it concerns. */
export type MapToKeys<O extends KubernetesObject, T extends KubernetesObject> = (
  object: Stored<O>,
  /** What is known of the operator's own kind. */
  primary: Informer<Stored<T>>['store'],
) => Iterable<ObjectKey>;

/** What an operator can be told beside its functions. Every setting has a default. */
export interface OperatorSettings<T extends Managed> {
  /** In logs, metrics, Events and the lease. The kind in lower case unless given. */
  readonly name?: string | undefined;
  /** The finalizer's name, where there is a cleanup. `<group>/<name>` unless given. */
  readonly finalizer?: string | undefined;
  /** How many objects are worked on at once. 4 unless given. */
  readonly concurrency?: number | undefined;
  /** Look again after so long, even if nothing happened. 10 minutes unless given; 0 for never. */
  readonly resyncMs?: number | undefined;
  /** When to look again at what somebody has to put right. 5 minutes unless given. */
  readonly configurationRetryMs?: number | undefined;
  /** After so long the signal of a pass aborts. 60 s unless given. */
  readonly timeoutMs?: number | undefined;
  /** Retries after a failure before an object is left until its next event. No limit unless given. */
  readonly maxRetries?: number | undefined;
  /** Backoff, limits and debouncing of the queue. */
  readonly queue?: ControllerOptions<ObjectKey>['queue'];
  /** Only objects that carry these labels. */
  readonly labelSelector?: string | undefined;
  /**
   * The definition of the kind may be installed later, or never: nothing waits for it, and work begins when it is there.
   * False unless given: then a missing definition ends the program after two minutes, with a message that names it.
   */
  readonly optional?: boolean | undefined;
  /** Whether `status.phase` is written; false for a kind whose schema has none. True unless given. */
  readonly phase?: boolean | undefined;
  /** Whether `status.observedGeneration` is written after every pass; false where yours means something else. */
  readonly observedGeneration?: boolean | undefined;
  /** Whether a change of `Ready` is told by an Event; false where your passes record their own. True unless given. */
  readonly transitionEvents?: boolean | undefined;
  /** Writes the conditions, in place of `Ready`, `Reconciling` and `Stalled`. */
  readonly summary?: ((ending: Ending<T>, status: StatusDraft<T>, now: number) => void) | undefined;
  /** Put around every pass, the write of its status included: to measure or to trace. It sees the errors as thrown. */
  readonly wrap?: ((pass: Reconciler) => Reconciler) | undefined;
  /** An object is there no more: the place to forget what you remember of it. Called at least once. */
  readonly gone?: ((key: ObjectKey) => void) | undefined;
}
