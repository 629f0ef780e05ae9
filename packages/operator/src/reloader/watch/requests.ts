/** Maps events to requests for workloads, as sources of a controller. */
import {
  type Cached,
  type Informer,
  type InformerEvent,
  type KindKey,
  LOW_PRIORITY,
  type RequestCause,
  resourceName,
  type Source,
  type SourceSink,
} from '@reloader/runtime';

export interface RequestOptions<C extends Cached> {
  readonly informer: Informer<C>;
  /** The controller waits for its sync. False for a kind that may never be installed and must not block others. */
  readonly required: boolean;
  /** Whether the event can concern any workload. */
  readonly when: (event: InformerEvent<C>) => boolean;
  readonly keys: (event: InformerEvent<C>) => Iterable<KindKey>;
  /** Refreshes the unwatched kinds that `keys` reads. */
  readonly before?: (event: InformerEvent<C>) => Promise<void> | undefined;
}

export function requests<C extends Cached>(options: RequestOptions<C>): Source<KindKey> {
  const { informer, required } = options;
  return {
    name: resourceName(informer.type),
    ...(required ? { informer } : {}),
    attach(sink) {
      let attached = true;
      const registration = informer.addHandler((event) => {
        if (!options.when(event)) return;
        const ready = isInitial(event) ? undefined : options.before?.(event);
        if (!ready) enqueue(sink, options, event);
        else void ready.then(() => attached && enqueue(sink, options, event));
      });
      return {
        get synced() {
          return !required || registration.synced;
        },
        remove: () => {
          attached = false;
          registration.remove();
        },
      };
    },
  };
}

function enqueue<C extends Cached>(
  sink: SourceSink<KindKey>,
  { informer, keys }: RequestOptions<C>,
  event: InformerEvent<C>,
): void {
  const { namespace, name } = event.object.metadata;
  const cause: RequestCause = { event: event.type, source: informer.type.kind, namespace, name };
  const replay = isInitial(event);
  try {
    for (const key of keys(event)) sink.enqueue(key, { priority: replay ? LOW_PRIORITY : 0, cause, replay });
  } catch (error) {
    sink.report(error, cause);
  }
}

export function isInitial<C extends Cached>(event: InformerEvent<C>): boolean {
  return event.type === 'add' && event.initial;
}

/** The objects of an event: for an update the old and the new one. */
export function oldAndNew<C extends Cached>(event: InformerEvent<C>): C[] {
  return event.type === 'update' ? [event.old, event.object] : [event.object];
}
