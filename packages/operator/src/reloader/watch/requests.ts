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
  /** Asks the API server for what `keys`, or the decisions about them, read: unwatched kinds, proof of a deletion. */
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
        else {
          // Without an answer the workloads are looked at all the same, by what is known.
          void ready
            .catch((error: unknown) => sink.report(error, causeOf(options, event)))
            .then(() => attached && enqueue(sink, options, event));
        }
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
  options: RequestOptions<C>,
  event: InformerEvent<C>,
): void {
  const cause = causeOf(options, event);
  const replay = isInitial(event);
  try {
    for (const key of options.keys(event))
      sink.enqueue(key, { priority: replay ? LOW_PRIORITY : 0, cause, replay });
  } catch (error) {
    sink.report(error, cause);
  }
}

function causeOf<C extends Cached>({ informer }: RequestOptions<C>, event: InformerEvent<C>): RequestCause {
  const { namespace, name } = event.object.metadata;
  return { event: event.type, source: informer.type.kind, namespace, name };
}

export function isInitial<C extends Cached>(event: InformerEvent<C>): boolean {
  return event.type === 'add' && event.initial;
}

/** The objects of an event: for an update the old and the new one. */
export function oldAndNew<C extends Cached>(event: InformerEvent<C>): C[] {
  return event.type === 'update' ? [event.old, event.object] : [event.object];
}
