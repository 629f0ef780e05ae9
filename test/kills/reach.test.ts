/** How long a change took, from a made-up history. */
import { expect, test } from 'vitest';
import type { Version } from './etcd-history.ts';
import type { Fleet, Source, Workload } from './fleet.ts';
import { History } from './history.ts';
import { pictureOf } from './picture.ts';
import { Reach, summaryOf } from './reach.ts';

const source: Source = { kind: 'ConfigMap', namespace: 'shop', name: 'settings', hasty: true };
const web: Workload = {
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
  replicas: 2,
  optIn: 'auto',
  use: 'env-from',
  sources: [source],
};
const fleet: Fleet = { namespaces: ['shop'], workloads: [web], sources: [source], idleSources: [] };

function told() {
  let now = 1_000;
  let revision = 0;
  const history = new History();
  const reach = new Reach(fleet, history, () => now);
  const add = (plural: string, name: string, object: object | undefined, created?: number): void => {
    revision += 1;
    const meta = { name, uid: name, labels: { app: 'web' } };
    const version = { revision, created: created ?? revision, plural, namespace: 'shop', name };
    history.add({ ...version, object: object && { metadata: meta, ...object } } as Version);
    reach.look();
  };
  const settings = (mode: string): void => add('configmaps', 'settings', { data: { mode } });
  const pod = (name: string, object: object | undefined = {}): void => add('pods', name, object);
  const wait = (ms: number): void => {
    now += ms;
  };
  return { reach, settings, pod, wait };
}

test('a change has arrived when the last older pod is gone, and a second one with it', () => {
  const { reach, settings, pod, wait } = told();
  settings('one');
  pod('old');
  reach.begin();
  wait(100);
  settings('two');
  wait(40);
  settings('three');
  reach.killed('operator');
  wait(60);
  pod('new');
  expect(reach.result().spans).toEqual([]);
  wait(5);
  pod('old', undefined);
  expect(reach.result()).toEqual({
    spans: [
      { at: 100, ms: 105 },
      { at: 140, ms: 65 },
    ],
    kills: [{ at: 140, victim: 'operator' }],
  });
});

test('what was before the beginning does not count', () => {
  const { reach, settings, pod } = told();
  settings('one');
  pod('old');
  settings('two');
  reach.begin();
  pod('new');
  pod('old', undefined);
  expect(reach.result().spans).toEqual([]);
});

test('a summary has the middle, the slow ones and the slowest', () => {
  const spans = Array.from({ length: 100 }, (_, index) => ({ at: 0, ms: index + 1 }));
  expect(summaryOf(spans)).toEqual({ count: 100, p50: 51, p90: 91, p99: 100, max: 100 });
});

test('the picture has a point for each change and a line for each kill', () => {
  const reach = {
    spans: [
      { at: 0, ms: 400 },
      { at: 60_000, ms: 20_000 },
    ],
    kills: [
      { at: 10_000, victim: 'operator' as const },
      { at: 20_000, victim: 'etcd' as const },
    ],
  };
  const svg = pictureOf([{ name: 'full mode', reach }], '2026-11-17');
  expect(svg).toContain('full mode: 2 changes, half 20 s, 99 of 100 20 s, longest 20 s');
  expect(svg).toContain('1 kills of an operator, 0 of the API server, 1 of etcd, in 1 min');
  expect(svg.match(/h0/g)).toHaveLength(2);
  expect(svg.match(/v-\d+/g)).toEqual(['v-6', 'v-18']);
});
