import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Cached, createInformer, type kinds, type Stored } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, it } from 'vitest';
import { secretFacts } from '../digest/source-projection.ts';
import { workloadIndexes } from '../index/terms.ts';
import { DEFAULT_ANNOTATIONS as names } from '../model/annotations.ts';
import { Secrets, WORKLOAD_TYPES } from '../model/kinds.ts';
import { workloadFacts } from '../project/workload-projection.ts';
import { deployment } from './watch.test.support.ts';

const COUNT = 3000;
const key = Buffer.alloc(32, 1);

function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  (runInNewContext('gc') as () => void)();
}

/** An object as a decoder returns it: parsed from its own text, which then becomes garbage. */
function decoded(object: object): never {
  return JSON.parse(JSON.stringify(object)) as never;
}

function metadataOf(index: number, annotations: Record<string, string> = {}): object {
  return {
    name: `an-object-with-a-long-name-${index}`,
    namespace: `a-namespace-with-a-long-name-${index % 50}`,
    uid: `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`,
    resourceVersion: String(1_000_000 + index),
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'app.kubernetes.io/name': `app-${index}`, 'app.kubernetes.io/instance': `release-${index}` },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'x'.repeat(4096), ...annotations },
    managedFields: [{ manager: 'kubectl', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:data': {} } }],
  };
}

function secretOf(index: number): Stored<kinds.SecretObject> {
  const values = Array.from({ length: 4 }, (_, each) => [`key-${each}`, `${index}`.padEnd(2732, 'A')]);
  return decoded({ metadata: metadataOf(index), data: Object.fromEntries(values) });
}

function deploymentOf(index: number): object {
  const refs = Array.from({ length: 3 }, (_, each) => ({
    configMapRef: { name: `settings-${index}-${each}` },
  }));
  const env = Array.from({ length: 20 }, (_, each) => ({
    name: `VARIABLE_${each}`,
    value: `value-${index}`,
  }));
  const annotations = {
    'reloader.stakater.com/auto': 'true',
    'reloader.stakater.com/ledger': `{"v":1,"uid":"${index}","s":{${'"cm/settings":"digest0000000000000000",'.repeat(3)}`,
  };
  return decoded({ ...deployment('web', { envFrom: refs, env }), metadata: metadataOf(index, annotations) });
}

async function heldPerObject<C extends Cached>(
  informer: ReturnType<typeof createInformer<never, C>>,
  before: number,
): Promise<number> {
  const ending = new AbortController();
  const running = informer.run(ending.signal);
  await informer.whenSynced();
  expect(informer.store.size).toBe(COUNT);
  collectGarbage();
  const held = (process.memoryUsage().heapUsed - before) / COUNT;
  ending.abort();
  await running;
  return held;
}

function listing(objectOf: (index: number) => object) {
  return {
    async listEach(_: unknown, onItem: (item: never) => void) {
      for (let index = 0; index < COUNT; index++) onItem(objectOf(index) as never);
      return { resourceVersion: '2000000' };
    },
    async watch(_: unknown, options: { signal?: AbortSignal } = {}) {
      async function* silence(): AsyncIterable<never> {
        await new Promise((_, reject) =>
          options.signal?.addEventListener('abort', () => reject(new Error('end'))),
        );
      }
      return silence() as never;
    },
  };
}

function heapNow(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const common = { clock: new VirtualClock(), tuning: { watchList: false } };

describe('Memory', () => {
  it('of a Secret of 8 KiB with four keys stays below 1 KB', async () => {
    const before = heapNow();
    const informer = createInformer({
      ...common,
      client: listing(secretOf),
      type: Secrets,
      project: (secret: Stored<kinds.SecretObject>) => secretFacts(secret, { names, key }),
    });
    expect(await heldPerObject(informer as never, before)).toBeLessThan(1024);
  });

  it('of a Deployment with its ledger and index stays near 2 KB', async () => {
    const before = heapNow();
    const informer = createInformer({
      ...common,
      client: listing(deploymentOf),
      type: WORKLOAD_TYPES.Deployment,
      project: (object) => workloadFacts(object, 'Deployment', names),
      indexes: workloadIndexes(names),
    });
    expect(await heldPerObject(informer as never, before)).toBeLessThan(2500);
  });
});
