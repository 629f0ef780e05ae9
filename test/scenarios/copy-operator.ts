/**
 * The operator under test in the scenarios: for each ConfigMap labelled `copy: "yes"` it keeps a copy under another
 * name, counts every change of content on the copy, and keeps an entry in one shared index until the ConfigMap is
 * deleted. It is built as the documentation says: informers, a tracked client, a controller, a finalizer. Each pass
 * makes several writes, so that a crash can come between any two.
 */
import {
  type Client,
  createController,
  createInformer,
  createOrUpdate,
  forKind,
  type InformerEnvironment,
  kinds,
  type Logger,
  Overlay,
  owns,
  type Stored,
  setControllerReference,
  trackWrites,
  WriteTracker,
  withFinalizer,
} from '@reloader/runtime';

export const NAMESPACE = 'default';
export const INDEX = { namespace: NAMESPACE, name: 'index' };
const FINALIZER = 'scenario.test/index';

type ConfigMap = kinds.ConfigMapObject;
type StoredMap = Stored<ConfigMap>;

export interface OperatorOptions extends Pick<InformerEnvironment, 'clock' | 'random'> {
  readonly client: Client;
  readonly logger: Logger;
}

/** Runs until the signal aborts; rejects only for a programming error. */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const { logger } = options;
  const clock = options.clock ? { clock: options.clock } : {};
  const tracker = new WriteTracker();
  const client = trackWrites(options.client, tracker);
  const informer = createInformer({
    ...options,
    client: options.client,
    type: kinds.ConfigMap,
    namespace: NAMESPACE,
  });
  const maps = new Overlay(informer, clock);
  tracker.attach(maps);
  const controller = createController({
    name: 'copies',
    sources: [
      forKind(informer, { when: ({ object }) => object.metadata.labels?.copy === 'yes' }),
      owns(informer, kinds.ConfigMap),
    ],
    logger,
    ...clock,
    beforeReconcile: async (key, stop) => {
      if ((await tracker.waitFor(kinds.ConfigMap, key, stop)) === 'timeout')
        throw new Error('the cache is behind our own writes');
    },
    reconcile: (key, context) =>
      withFinalizer(key, {
        client,
        type: kinds.ConfigMap,
        finalizer: FINALIZER,
        signal: context.signal,
        fetch: (wanted) => maps.store.get(wanted),
        cleanup: (source) =>
          changeIndex(client, (entries) => delete entries[source.metadata.name], context.signal),
        reconcile: async (source) => {
          await changeIndex(
            client,
            (entries) => {
              entries[source.metadata.name] = source.metadata.uid;
            },
            context.signal,
          );
          await copy(client, maps, source, context.signal);
        },
      }),
  });
  const ran = informer.run(signal);
  await controller.start({ stopping: signal, abort: signal });
  await ran;
}

async function changeIndex(
  client: Client,
  change: (entries: Record<string, string>) => void,
  signal: AbortSignal,
): Promise<void> {
  await createOrUpdate<ConfigMap>(
    client,
    kinds.ConfigMap,
    INDEX,
    (draft) => {
      draft.data = { ...draft.data };
      change(draft.data);
    },
    { signal },
  );
}

/** The number on the copy grows by one for each content it has had, so a duplicate or lost change shows. */
async function copy(
  client: Client,
  maps: Overlay<StoredMap>,
  source: StoredMap,
  signal: AbortSignal,
): Promise<void> {
  const key = { namespace: NAMESPACE, name: `${source.metadata.name}-copy` };
  await createOrUpdate<ConfigMap>(
    client,
    kinds.ConfigMap,
    key,
    (draft) => {
      const content = JSON.stringify(source.data ?? {});
      if (draft.data?.content !== content) {
        draft.data = { content, changes: String(Number(draft.data?.changes ?? 0) + 1) };
      }
      setControllerReference(draft, kinds.ConfigMap, source);
    },
    { signal, live: maps.store.get(key) ?? null },
  );
}
