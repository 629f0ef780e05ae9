/**
 * How fast a controller turns keys into reconciles if the reconciler does nothing, and how much memory 100 000 waiting
 * keys take. No server: the informer is filled by hand. Prints one JSON object; exits with 1 if a target is missed.
 * Run: `node --expose-gc --import tsx bench/noop-reconciles.ts`
 */
import { performance } from 'node:perf_hooks';
import type { Cached } from '../packages/runtime/src/cache/informer.ts';
import { createController } from '../packages/runtime/src/controller/controller.ts';
import { channel, forKind } from '../packages/runtime/src/controller/sources.ts';
import { createLogger } from '../packages/runtime/src/logging/create-logger.ts';
import { createRegistry } from '../packages/runtime/src/metrics/registry.ts';
import { WorkQueue } from '../packages/runtime/src/queue/work-queue.ts';
import { FakeInformer } from '../packages/runtime/src/testing/fake-informer.ts';

const KEYS = 100_000;
const ROUNDS = 5;
const TARGET_PER_SECOND = 20_000;
const TARGET_MB = 60;

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const nameOf = (index: number): { namespace: string; name: string } => ({
  namespace: `namespace-${index % 200}`,
  name: `some-workload-${index}`,
});

/** With all parts of a real program: metrics, logger, timeout, two workers, an informer and a second source. */
async function reconcilesPerSecond(): Promise<number> {
  const type = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true };
  const informer = new FakeInformer<Cached>(type);
  const trigger = channel('bench');
  let left = KEYS;
  let finished: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const controller = createController({
    name: 'bench',
    sources: [forKind(informer), trigger],
    concurrency: 2,
    metrics: createRegistry(),
    logger: createLogger({ level: 'info', destination: { write: () => true } }),
    reconcile: async () => {
      if (--left === 0) finished();
    },
  });
  informer.sync();
  const stopping = new AbortController();
  const ended = controller.start({ stopping: stopping.signal, abort: new AbortController().signal });
  await new Promise((resolve) => setImmediate(resolve));
  const began = performance.now();
  for (let index = 0; index < KEYS; index++) trigger.trigger(nameOf(index));
  await all;
  const seconds = (performance.now() - began) / 1000;
  stopping.abort();
  await ended;
  return Math.round(KEYS / seconds);
}

/** Heap of a queue with 100 000 waiting keys, the strings of the keys included. */
function queueMegabytes(): number {
  if (!globalThis.gc) throw new Error('Run with --expose-gc, or the heap cannot be measured');
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const queue = new WorkQueue({ name: 'bench', metrics: createRegistry() });
  for (let index = 0; index < KEYS; index++) {
    const { namespace, name } = nameOf(index);
    queue.add(`${namespace}/${name}`, { priority: -100 });
  }
  globalThis.gc();
  const megabytes = (process.memoryUsage().heapUsed - before) / 1e6;
  if (queue.length !== KEYS) throw new Error('Not all keys are waiting');
  queue.shutdown();
  return Number(megabytes.toFixed(1));
}

const rates: number[] = [];
for (let round = 0; round <= ROUNDS; round++) rates.push(await reconcilesPerSecond());
const perSecond = median(rates.slice(1));
const megabytes = queueMegabytes();
console.log(
  JSON.stringify(
    {
      bench: 'noop-reconciles',
      node: process.version,
      reconcilesPerSecond: perSecond,
      target: TARGET_PER_SECOND,
      queueMBPer100000Keys: megabytes,
      targetMB: TARGET_MB,
    },
    undefined,
    2,
  ),
);
if (perSecond < TARGET_PER_SECOND || megabytes > TARGET_MB) process.exitCode = 1;
