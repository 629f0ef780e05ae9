/**
 * Sources turn events of an informer (or of the outside world) into requests.
 *
 * On an update, old and new object are both mapped and the union is enqueued, so that keys which the object no longer
 * maps to are reconciled as well. Objects of the initial list and of resyncs get a low priority: they are many and
 * rarely new.
 */
import type { Cached, Informer, InformerEvent } from '../cache/informer.ts';
import { type ResourceType, resourceName } from '../client/resource.ts';
import type { ObjectKey, OwnerReference } from '../model/types.ts';
import type { Predicate } from './predicates.ts';

/** Priority of initial and resynced objects: fresh changes go first. */
export const LOW_PRIORITY = -100;

/** The cause of a reconcile, for logs and `inspect`. */
export interface RequestCause {
  readonly event: string;
  /** The kind, or the channel's name. */
  readonly source: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** For logs and reports: `update of Secret shop/db`. */
export function causeInWords(cause: RequestCause | undefined): string {
  if (!cause) return 'unknown';
  const { event, source, namespace, name } = cause;
  const object = name === undefined ? '' : ` ${namespace ? `${namespace}/` : ''}${name}`;
  return `${event} of ${source}${object}`;
}

/** Options of a request. */
export interface EnqueueOptions {
  readonly priority: number;
  readonly cause: RequestCause;
  /** Nothing new is known (initial list, resync): it does not supersede a running reconcile. */
  readonly replay: boolean;
}

/** Where a source sends its requests. */
export interface SourceSink<R extends ObjectKey> {
  enqueue(request: R, options: EnqueueOptions): void;
  /** The map function failed for one object; other objects are not affected. */
  report(error: unknown, cause: RequestCause): void;
}

/** An attached source; `detach` ends it. */
export interface SourceRegistration {
  /** The initial objects were enqueued. */
  readonly synced: boolean;
  remove(): void;
}

/** A source of requests; made by `forKind`, `owns`, `watches` and `channel`. */
export interface Source<R extends ObjectKey = ObjectKey> {
  /** The resource, or the name of the channel. */
  readonly name: string;
  /** The informer that must run for this source. */
  readonly informer?: AnyInformer;
  /** Begins to send requests to the sink. */
  attach(sink: SourceSink<R>): SourceRegistration;
}

/** An informer of any cached type, for waiting and health only. */
export type AnyInformer = Pick<
  Informer<Cached>,
  'type' | 'namespace' | 'synced' | 'whenSynced' | 'health' | 'run'
>;

/** Which events count, and with which priority. */
export interface SourceOptions<C extends Cached> {
  /** Only events for which this holds. Combine several with `and`, `or`, `not`. */
  readonly when?: Predicate<C> | undefined;
  /** Replaces the default priority: low for initial and resynced objects, 0 for all others. */
  readonly priority?: ((event: InformerEvent<C>) => number) | undefined;
}

/** Every event enqueues its own object. */
export function forKind<C extends Cached>(
  informer: Informer<C>,
  options: SourceOptions<C> = {},
): Source<ObjectKey> {
  return watches(informer, (object) => [requestOf(object.metadata)], options);
}

/** Which owners count. */
export interface OwnsOptions<C extends Cached> extends SourceOptions<C> {
  /** Also owners that do not control the object. False unless given. */
  readonly matchEveryOwner?: boolean | undefined;
}

/** An object that keeps its owner references. */
export type Owned = Cached & { readonly metadata: { readonly ownerReferences?: readonly OwnerReference[] } };

/** Every event enqueues the object of kind `owner` that controls the object. */
export function owns<C extends Owned>(
  informer: Informer<C>,
  owner: ResourceType,
  options: OwnsOptions<C> = {},
): Source<ObjectKey> {
  const ownersOf = (object: C): ObjectKey[] =>
    (object.metadata.ownerReferences ?? [])
      .filter((reference) => isOf(owner, reference) && (options.matchEveryOwner || reference.controller))
      .map(({ name }) =>
        requestOf({ name, ...(owner.namespaced ? { namespace: object.metadata.namespace } : {}) }),
      );
  return watches(informer, ownersOf, options);
}

/** Every event enqueues the keys that `map` returns. */
export function watches<C extends Cached, R extends ObjectKey>(
  informer: Informer<C>,
  map: (object: C) => Iterable<R>,
  options: SourceOptions<C> = {},
): Source<R> {
  const { kind } = informer.type;
  return {
    name: resourceName(informer.type),
    informer,
    attach: (sink) =>
      informer.addHandler((event) => {
        const { namespace, name } = event.object.metadata;
        const cause: RequestCause = { event: event.type, source: kind, namespace, name };
        if (options.when && !options.when(event)) return;
        const replay = isReplay(event);
        const priority = options.priority?.(event) ?? (replay ? LOW_PRIORITY : 0);
        // The old object first: if its mapping fails, the new one's still counts.
        const objects = event.type === 'update' ? [event.old, event.object] : [event.object];
        for (const object of objects) {
          try {
            for (const request of map(object)) sink.enqueue(request, { priority, cause, replay });
          } catch (error) {
            sink.report(error, cause);
          }
        }
      }),
  };
}

/** A source that is triggered by code. */
export interface Channel<R extends ObjectKey = ObjectKey> extends Source<R> {
  /** Enqueues one request. Kept until the controller listens. */
  trigger(request: R, options?: { readonly priority?: number; readonly event?: string }): void;
}

/**
 * Requests from anywhere: a webhook, a timer, another program.
 *
 * @example
 * ```ts
 * const asked = channel('asked by hand');
 * const apps = operator(WebApps)
 *   .on(asked)
 *   .reconcile(async ({ object }) => ensureDeployment(object));
 * asked.trigger({ namespace: 'shop', name: 'web' });
 * ```
 */
export function channel<R extends ObjectKey = ObjectKey>(name: string): Channel<R> {
  const early: (readonly [R, EnqueueOptions])[] = [];
  const sinks = new Set<SourceSink<R>>();
  return {
    name,
    attach(sink) {
      sinks.add(sink);
      for (const [request, options] of early.splice(0)) sink.enqueue(request, options);
      return { synced: true, remove: () => void sinks.delete(sink) };
    },
    trigger(request, { priority = 0, event = 'trigger' } = {}) {
      const options: EnqueueOptions = { priority, cause: { event, source: name }, replay: false };
      if (sinks.size === 0) early.push([request, options]);
      for (const sink of sinks) sink.enqueue(request, options);
    },
  };
}

function isReplay(event: InformerEvent<Cached>): boolean {
  if (event.type === 'add') return event.initial;
  if (event.type === 'delete') return false;
  return event.resync || event.old.metadata.resourceVersion === event.object.metadata.resourceVersion;
}

function isOf(owner: ResourceType, { apiVersion, kind }: OwnerReference): boolean {
  // By group, not by version: the reference keeps the version under which it was written.
  const slash = apiVersion.indexOf('/');
  return kind === owner.kind && (slash < 0 ? '' : apiVersion.slice(0, slash)) === owner.group;
}

function requestOf({ namespace, name }: { namespace?: string | undefined; name: string }): ObjectKey {
  return namespace ? { namespace, name } : { name };
}
