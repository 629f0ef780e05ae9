import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { createClient, type Transport } from '@reloader/runtime';
import { type Measure, median } from '../measure.ts';

const ITEMS = 5_000;
const BYTES = 8_192;
const CHUNK = 64 * 1024;
const ROUNDS = 5;

/** A list as the API server sends it, in chunks as they come from a socket. */
function listChunks(): { chunks: Uint8Array[]; text: string } {
  const value = 'x'.repeat(BYTES);
  const items = Array.from({ length: ITEMS }, (_, index) => ({
    metadata: {
      name: `source-${index}`,
      namespace: 'bench',
      uid: `uid-${index}`,
      resourceVersion: String(index),
    },
    data: { value },
  }));
  const text = JSON.stringify({
    kind: 'SecretList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '1' },
    items,
  });
  const bytes = Buffer.from(text);
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK) chunks.push(bytes.subarray(start, start + CHUNK));
  return { chunks, text };
}

export const decode: Measure = {
  name: 'decode',
  title: `Decoding a list of ${ITEMS.toLocaleString('en')} objects of 8 KB`,
  how: 'Item by item as the client does it, against one JSON.parse of the whole text. The lag is how long the event loop was kept from other work.',
  async run() {
    const { chunks, text } = listChunks();
    const megabytes = text.length / 1e6;
    const transport: Transport = {
      request: async () => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: (async function* () {
          yield* chunks;
        })(),
      }),
      close: async () => undefined,
    };
    const client = createClient({ transport });
    const type = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true };
    const lag = monitorEventLoopDelay({ resolution: 1 });
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      if (round === 1) lag.enable();
      let count = 0;
      const began = performance.now();
      await client.listEach(type, () => count++);
      rates.push((megabytes * 1000) / (performance.now() - began));
      if (count !== ITEMS) throw new Error(`${count} items were decoded`);
    }
    lag.disable();
    const whole = Array.from({ length: ROUNDS }, () => {
      const began = performance.now();
      JSON.parse(text);
      return { rate: (megabytes * 1000) / (performance.now() - began), blocked: performance.now() - began };
    });
    const rate = median(rates);
    const p99 = lag.percentile(99) / 1e6;
    return [
      {
        what: 'speed',
        ours: `${Math.round(rate)} MB/s`,
        floor: `${Math.round(median(whole.map((one) => one.rate)))} MB/s`,
        target: 'at least 50 MB/s',
        met: rate >= 50,
      },
      {
        what: 'event-loop lag, 99th percentile',
        ours: `${p99.toFixed(1)} ms`,
        floor: `${median(whole.map((one) => one.blocked)).toFixed(0)} ms`,
        target: 'below 50 ms',
        met: p99 < 50,
      },
    ];
  },
};
