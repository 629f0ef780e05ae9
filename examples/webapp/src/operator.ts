/** Puts the operator together: caches, reconciler, controller. */
import {
  type Client,
  type Clock,
  cacheRunnable,
  createController,
  type EventWriter,
  forKind,
  generationChanged,
  InformerCache,
  type KubernetesObject,
  type Logger,
  type Metrics,
  Overlay,
  owns,
  type ResourceType,
  type Runnable,
  trackWrites,
  WriteTracker,
} from '@reloader/runtime';
import { CHILDREN, MANAGED_BY } from './children.ts';
import { createReconciler } from './reconciler.ts';
import { WebApps } from './webapp.ts';

export interface OperatorOptions {
  /** Fills the caches. */
  readonly client: Client;
  /** Writes; with leader election a fenced one. */
  readonly writer: Client;
  readonly events: EventWriter;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly clock?: Clock;
}

export interface Operator {
  readonly runnables: readonly Runnable[];
  readonly cache: InformerCache;
}

export function createOperator({ client, writer, events, ...common }: OperatorOptions): Operator {
  const cache = new InformerCache({ client, ...common });
  const tracker = new WriteTracker();

  /** A cache of one kind that shows our own writes at once. */
  const watch = <T extends KubernetesObject>(
    type: ResourceType<T>,
    selection: { labelSelector?: string } = {},
  ) => {
    const overlay = new Overlay(cache.informer({ type, ...selection }), common);
    tracker.attach(overlay);
    return overlay.asInformer();
  };

  const labelSelector = Object.entries(MANAGED_BY).flat().join('=');
  const webApps = watch(WebApps);
  const children = new Map(CHILDREN.map(({ name, type }) => [name, watch(type, { labelSelector })]));
  const controller = createController({
    ...common,
    name: 'webapp',
    concurrency: 4,
    sources: [
      forKind(webApps, { when: generationChanged() }),
      ...[...children.values()].map((informer) => owns(informer, WebApps)),
    ],
    reconcile: createReconciler({ client: trackWrites(writer, tracker), events, webApps, children }),
  });
  return { cache, runnables: [events, cacheRunnable(cache, common), controller] };
}
