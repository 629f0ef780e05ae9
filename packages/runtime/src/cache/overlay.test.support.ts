/** An overlay over an informer whose watch can be delayed. */
import { expect } from 'vitest';
import type { Stored } from '../model/types.ts';
import type { FakeServer, Item } from '../reflector/fake-server.test.support.ts';
import { type InformerHarness, startInformer } from './harness.test.support.ts';
import { Overlay } from './overlay.ts';

export interface Setting extends InformerHarness<Stored<Item>> {
  readonly overlay: Overlay<Stored<Item>>;
  /** Writes on the server; the watch delivers it only after `catchUp`. */
  readonly write: (key: string, value: string) => Stored<Item>;
  /** The watch delivers everything. */
  readonly catchUp: () => Promise<void>;
}

export const A = { namespace: 'ns', name: 'a' };
const stops: (() => Promise<void>)[] = [];

/** One item "a" with value "old"; from then on the watch lags until `catchUp`. */
export async function startOverlay(options: { readonly tombstoneMs?: number } = {}): Promise<Setting> {
  const harness = await startInformer<Stored<Item>>({
    prepare: (server) => void server.put('ns/a', 'old'),
    indexes: { value: (item) => [item.data?.value ?? ''] },
  });
  const { clock, server, informer, metrics } = harness;
  const { tombstoneMs } = options;
  const overlay = new Overlay(informer, { clock, metrics, ...(tombstoneMs ? { tombstoneMs } : {}) });
  stops.push(async () => {
    await harness.stop();
    overlay.detach();
    expect(clock.pendingTimers).toBe(0);
  });
  const write = (key: string, value: string): Stored<Item> => {
    hold(server);
    const written = server.put(key, value);
    hold(server);
    return written;
  };
  const catchUp = async (): Promise<void> => {
    server.lag = 0;
    server.catchUp();
    await clock.settle();
  };
  return { ...harness, overlay, write, catchUp };
}

/** Keeps the streams at version 101, which they have delivered so far. */
export function hold(server: FakeServer): void {
  server.lag = server.revision - 101 + 1_000_000;
}

/** Call after each test: stops everything that was started, and checks that nothing is left. */
export async function stopOverlays(): Promise<void> {
  for (const stop of stops.splice(0)) await stop();
}
