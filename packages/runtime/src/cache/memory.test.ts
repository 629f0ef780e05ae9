import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { WatchEvent } from '../client/client.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { KubernetesObject, Stored } from '../model/types.ts';
import { ITEMS, type Item } from '../reflector/fake-server.test.support.ts';
import { createInformer } from './create-informer.ts';
import type { Cached } from './informer.ts';
import { identityOf } from './projection.ts';

const COUNT = 5_000;
const PAYLOAD = 8_192;

function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
}

/** An item as a decoder gives it: parsed from a text of its own, which is then garbage. */
function decoded(index: number): Stored<Item> {
  const payload = `${index}:`.padEnd(PAYLOAD, 'x');
  const metadata = {
    name: `an-item-with-a-long-name-${index}`,
    namespace: `a-namespace-with-a-long-name-${index % 50}`,
    uid: `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`,
    resourceVersion: String(1_000_000 + index),
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': payload },
  };
  return JSON.parse(
    JSON.stringify({ apiVersion: 'test.example/v1', kind: 'Item', metadata, data: { value: payload } }),
  );
}

async function heldPerObject(watchList: boolean): Promise<number> {
  const client = {
    async listEach(_: unknown, onItem: (item: never) => void) {
      for (let index = 0; index < COUNT; index++) onItem(decoded(index) as never);
      return { resourceVersion: '2000000' };
    },
    async watch(_: unknown, options: { signal?: AbortSignal; sendInitialEvents?: boolean } = {}) {
      async function* events(): AsyncIterable<WatchEvent<KubernetesObject>> {
        if (options.sendInitialEvents) {
          for (let index = 0; index < COUNT; index++) yield { type: 'ADDED', object: decoded(index) };
          yield { type: 'BOOKMARK', resourceVersion: '2000000', initialEventsEnd: true };
        }
        await new Promise((_, reject) =>
          options.signal?.addEventListener('abort', () => reject(new Error('end'))),
        );
      }
      return events() as never;
    },
  };
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const informer = createInformer<Item, Cached & { digest: number }>({
    client,
    type: ITEMS,
    clock: new VirtualClock(),
    tuning: { watchList },
    project: (item) => ({ metadata: identityOf(item), digest: item.data?.value?.length ?? 0 }),
  });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  await informer.whenSynced();
  expect(informer.store.size).toBe(COUNT);
  collectGarbage();
  const held = (process.memoryUsage().heapUsed - before) / COUNT;
  controller.abort();
  await running;
  return held;
}

describe('Memory behind a projection', () => {
  it.each([true, false])(
    'stays below 500 bytes for an object of 16 KiB (watch-list: %s)',
    async (watchList) => {
      expect(await heldPerObject(watchList)).toBeLessThan(500);
    },
  );
});
