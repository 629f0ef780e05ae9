/** An informer on a fake server under a virtual clock, with a handler that checks every event. */
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createRegistry } from '../metrics/registry.ts';
import { keyString, type Stored } from '../model/types.ts';
import { FakeServer, ITEMS, type Item } from '../reflector/fake-server.test.support.ts';
import { type CapturingLogger, createCapturingLogger } from '../testing/capturing-logger.ts';
import { createRandom } from '../testing/random.ts';
import type { CachingInformer } from './caching-informer.ts';
import { createInformer } from './create-informer.ts';
import type { Cached, InformerEvent, InformerHandler } from './informer.ts';
import type { InformerOptions } from './informer-options.ts';

/** Rebuilds the store from events alone, and records every event that contradicts it. */
export class Replay<C extends Cached> {
  readonly view = new Map<string, C>();
  readonly events: InformerEvent<C>[] = [];
  readonly faults: string[] = [];

  readonly handler: InformerHandler<C> = (event) => {
    this.events.push(event);
    const key = keyString(event.object.metadata);
    const known = this.view.get(key);
    if (event.type === 'add') {
      if (known) this.faults.push(`${key} was added twice`);
      this.view.set(key, event.object);
    } else if (event.type === 'update') {
      if (known !== event.old) this.faults.push(`${key} was updated from something else than it was`);
      if (known?.metadata.uid !== event.object.metadata.uid) this.faults.push(`${key} became another object`);
      this.view.set(key, event.object);
    } else {
      if (!known) this.faults.push(`${key} was deleted without being there`);
      if (known && known.metadata.uid !== event.object.metadata.uid)
        this.faults.push(`${key}: wrong deletion`);
      this.view.delete(key);
    }
  };

  /** The events in short form. */
  get summary(): string[] {
    return this.events.map((event) => {
      const flags = Object.entries(event).filter(([, value]) => value === true);
      const name = `${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}`;
      return [name, ...flags.map(([flag]) => flag)].join(' ');
    });
  }
}

export interface InformerHarness<C extends Cached> {
  readonly clock: VirtualClock;
  readonly server: FakeServer;
  readonly informer: CachingInformer<C>;
  readonly replay: Replay<C>;
  readonly metrics: Metrics;
  readonly log: CapturingLogger;
  /** Stops the informer; call it at the end of every test. */
  readonly stop: () => Promise<void>;
}

type Options<C extends Cached> = Partial<InformerOptions<Item, C>> & {
  readonly prepare?: (server: FakeServer) => void;
  readonly seed?: number;
};

/** Starts, and returns once nothing more happens without advancing the clock. */
export async function startInformer<C extends Cached = Stored<Item>>(
  options: Options<C> = {},
): Promise<InformerHarness<C>> {
  const { prepare, seed = 1, ...rest } = options;
  const clock = new VirtualClock();
  const server = new FakeServer(clock);
  prepare?.(server);
  const metrics = createRegistry();
  const log = createCapturingLogger('info');
  const informer = createInformer<Item, C>({
    client: server,
    type: ITEMS,
    clock,
    metrics,
    logger: log.logger,
    random: createRandom(seed).next,
    ...rest,
    // Tests that name no projection use the items as they are.
    project: rest.project ?? ((item) => item as unknown as C),
  });
  const replay = new Replay<C>();
  informer.addHandler(replay.handler);
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await clock.settle();
  const stop = async (): Promise<void> => {
    controller.abort();
    await running;
  };
  return { clock, server, informer, replay, metrics, log, stop };
}

/** The stored objects by key, each as its version. */
export function versions(objects: Iterable<Cached>): Record<string, string> {
  const entries = [...objects].map(
    ({ metadata }) => [keyString(metadata), metadata.resourceVersion] as const,
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function serverVersions(server: FakeServer, namespace?: string): Record<string, string> {
  const objects = [...server.objects().values()];
  return versions(
    objects.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
  );
}
