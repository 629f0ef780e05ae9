/**
 * Assembles an operator from its parts: caches that show our own writes, sources, a controller, Events.
 *
 * In: a declaration and an environment (a client, a clock, …). Out: runnables for any manager, in any order. Nothing
 * starts here. Every part is public and can be assembled by hand as well; this is the assembly that most operators
 * need.
 */
import type { Informer } from '../cache/informer.ts';
import { InformerCache } from '../cache/informer-cache.ts';
import { Overlay } from '../cache/overlay.ts';
import { trackWrites } from '../cache/tracked-client.ts';
import { WriteTracker } from '../cache/write-tracker.ts';
import type { Client } from '../client/client.ts';
import type { ResourceType } from '../client/resource.ts';
import type { Clock } from '../clock/clock.ts';
import { type Controller, createController } from '../controller/controller.ts';
import { generationChanged, or, type Predicate } from '../controller/predicates.ts';
import { forKind, owns, type Source, watches } from '../controller/sources.ts';
import { createEventRecorder, type EventRecorder } from '../events/recorder.ts';
import type { Runnable } from '../lifecycle/runnable.ts';
import type { Logger } from '../logging/logger.ts';
import { cacheRunnable } from '../manager/caches.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { KubernetesObject, ObjectKey, Stored } from '../model/types.ts';
import { hasFinalizer, isDeleting } from '../objects/finalizers.ts';
import type { OtherKind } from './create-pass.ts';
import { childLabels, type Declaration, finalizerOf, nameOf, type Watched } from './declaration.ts';
import { createPassReconciler } from './pass.ts';
import type { KindOptions, Managed } from './types.ts';

/** Everything an operator depends on: clients, clock, logger, metrics, and the parts it shares with other operators. */
export interface OperatorEnvironment {
  /** The client that informers list and watch with. */
  readonly client: Client;
  /** The client that writes; with leader election a fenced one. `client` unless given. */
  readonly writer?: Client | undefined;
  /**
   * Where Events are recorded. The caller runs a recorder that it passes here; unless given, the operator makes and
   * runs its own.
   */
  readonly events?: EventRecorder | undefined;
  /** Watch only these namespaces; all namespaces unless given or empty. */
  readonly namespaces?: readonly string[] | undefined;
  /**
   * The informers, shared with other parts of the program. The caller runs a cache that it passes here; unless given,
   * the operator makes and runs its own.
   */
  readonly cache?: InformerCache | undefined;
  /** Where logs go; nowhere unless given. */
  readonly logger?: Logger | undefined;
  /** Where metrics are registered; none are unless given. */
  readonly metrics?: Metrics | undefined;
  /** The time; a `VirtualClock` in tests. */
  readonly clock?: Clock | undefined;
}

/** The parts of an operator, ready for a manager. */
export interface Assembly {
  /** To be added to a manager. */
  readonly runnables: readonly Runnable[];
  /** Its informers; shared ones if the environment brought them. */
  readonly cache: InformerCache;
  /** Its queue and its workers: `inspect` lists what waits, runs or failed. */
  readonly controller: Controller;
}

const CONCURRENCY = 4;

export function assemble<T extends Managed>(
  declaration: Declaration<T>,
  environment: OperatorEnvironment,
): Assembly {
  const { client, writer = client, namespaces = [], logger, metrics, clock } = environment;
  const common = { ...(logger && { logger }), ...(metrics && { metrics }), ...(clock && { clock }) };
  const name = nameOf(declaration);
  const { type, settings, watched } = declaration;
  const cache = environment.cache ?? new InformerCache({ client, ...common });
  const tracker = new WriteTracker();

  /** A cache of one kind that shows our own writes at once. */
  const keep = <O extends KubernetesObject>(
    of: ResourceType<O>,
    { labelSelector, fieldSelector, indexes }: KindOptions<O>,
  ): Informer<Stored<O>> => {
    const selection = {
      type: of,
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      ...(indexes && { indexes }),
    };
    const limited = of.namespaced && namespaces.length > 0;
    const informer = limited ? cache.namespaced({ ...selection, namespaces }) : cache.informer(selection);
    const overlay = new Overlay(informer, common);
    tracker.attach(overlay);
    return overlay.asInformer();
  };

  const primary = keep(type, { labelSelector: settings.labelSelector });
  const others: OtherKind[] = [];
  const sources: Source<ObjectKey>[] = [forKind(primary, { when: startsPass(declaration) })];
  for (const each of watched) {
    const informer = keep(each.type, selectionOf(declaration, each));
    others.push({ type: each.type, owned: !each.map, informer });
    sources.push(sourceOf(each, informer, primary, type));
  }
  sources.push(...declaration.sources);
  const recorder = createEventRecorder({ client: writer, component: name, ...common });
  const controller = createController({
    ...common,
    name,
    concurrency: settings.concurrency ?? CONCURRENCY,
    timeoutMs: settings.timeoutMs,
    maxRetries: settings.maxRetries,
    queue: settings.queue,
    sources,
    reconcile: createPassReconciler({
      declaration,
      client: trackWrites(writer, tracker),
      events: environment.events ?? recorder,
      primary,
      others,
    }),
  });
  const required = !settings.optional;
  const runnables: Runnable[] = [required ? controller : whenSynced(primary, controller)];
  if (!environment.cache)
    runnables.unshift(cacheRunnable(cache, { name: `${name} caches`, clock, required }));
  if (!environment.events) runnables.unshift(recorder);
  return { runnables, cache, controller };
}

/** An object that waits for our cleanup starts a pass when its deletion begins, whichever changes the author asked for. */
function startsPass<T extends Managed>(declaration: Declaration<T>): Predicate<Stored<T>> {
  const { settings, cleanup } = declaration;
  const { when = generationChanged() } = settings;
  if (!cleanup) return when;
  const finalizer = finalizerOf(declaration);
  return or(when, (event) => {
    if (event.type === 'delete' || !isDeleting(event.object)) return false;
    return hasFinalizer(event.object, finalizer) && (event.type === 'add' || !isDeleting(event.old));
  });
}

/** Waits for its CustomResourceDefinition without a time limit: it may be installed later. */
function whenSynced(informer: Pick<Informer, 'whenSynced'>, controller: Controller): Runnable {
  return {
    name: controller.name,
    needsLeaderElection: controller.needsLeaderElection,
    async start(signals) {
      try {
        await informer.whenSynced(signals.stopping);
      } catch (error) {
        if (signals.stopping.aborted) return;
        throw error;
      }
      await controller.start(signals);
    },
  };
}

function selectionOf<T extends Managed>(
  declaration: Declaration<T>,
  { type, options, map }: Watched,
): KindOptions<KubernetesObject> {
  if (map || options.labelSelector !== undefined) return options;
  const labelSelector = Object.entries(childLabels(declaration, type))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  return { ...options, labelSelector };
}

function sourceOf<T extends Managed>(
  { options, map }: Watched,
  informer: Informer<Stored<KubernetesObject>>,
  primary: Informer<Stored<T>>,
  owner: ResourceType<T>,
): Source<ObjectKey> {
  const source = { when: options.when };
  return map
    ? watches(
        informer,
        (object) => map(object, primary.store as Informer<Stored<KubernetesObject>>['store']),
        source,
      )
    : owns(informer, owner, source);
}
