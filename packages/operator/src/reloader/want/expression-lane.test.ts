import { expect, test } from 'vitest';
import { ExpressionLane } from './expression-lane.ts';
import { namedList } from './named-list.ts';
import { defaultSettings, fakeWorld, sourceFacts, workloadFacts } from './world.test.support.ts';

const HEAVY = '(a|b)*a(a|b){40}';
const long = (index: number): string => `${'ab'.repeat(100)}${'a'.repeat(index)}`;

function setUp(lists: Readonly<Record<string, string>>, names: readonly string[]) {
  const workloads = Object.entries(lists).map(([key, list]) => {
    const [name = '', namespace = 'shop'] = key.split('/').reverse();
    return workloadFacts({
      namespace,
      name,
      annotations: { 'configmap.reloader.stakater.com/reload': list },
    });
  });
  const sources = ['shop', 'bank'].flatMap((namespace) =>
    names.map((name) => sourceFacts({ namespace, name })),
  );
  const world = fakeWorld({ workloads, sources });
  const woken: string[] = [];
  const turns: (() => void)[] = [];
  const lane = new ExpressionLane({
    world,
    settings: defaultSettings(),
    wake: (key) => woken.push(key),
    later: (run) => turns.push(run),
  });
  return { lane, workloads, woken, turns };
}

/** Runs one piece. */
function turn(turns: (() => void)[]): void {
  const next = turns.shift();
  if (!next) throw new Error('nothing waits for a turn');
  next();
}

test('names, wildcards and cheap expressions are ready at once', () => {
  const names = Array.from({ length: 300 }, (_, index) => `config-${index}`);
  const { lane, workloads, turns } = setUp(
    { plain: 'a,b', wild: 'config-.*', honest: '(web|config)-[0-9]+' },
    names,
  );
  expect(workloads.map((workload) => lane.isReady(workload))).toEqual([true, true, true]);
  expect(turns).toEqual([]);
});

test('expensive expressions are evaluated in pieces, and then the workload is woken', () => {
  const names = Array.from({ length: 40 }, (_, index) => long(index));
  const { lane, workloads, woken, turns } = setUp({ heavy: HEAVY }, names);
  const [heavy] = workloads;
  if (!heavy) throw new Error('there is one');
  expect(lane.isReady(heavy)).toBe(false);
  expect(lane.isReady(heavy)).toBe(false);
  let pieces = 0;
  for (; turns.length > 0; pieces += 1) turn(turns);
  expect(pieces).toBeGreaterThan(20);
  expect(woken).toEqual(['Deployment/shop/heavy']);
  expect(lane.isReady(heavy)).toBe(true);
  expect(namedList(HEAVY).costOf(names)).toBe(0);
});

test('namespaces take turns', () => {
  const names = Array.from({ length: 40 }, (_, index) => long(index + 40));
  const lists = {
    'shop/first': `${HEAVY}x`,
    'shop/second': '[ab]{40}[a]{9}',
    'bank/third': '[ab]{40}[a]{10}',
  };
  const { lane, workloads, woken, turns } = setUp(lists, names);
  for (const workload of workloads) expect(lane.isReady(workload)).toBe(false);
  while (turns.length > 0) turn(turns);
  // A workload waits only for others of its own namespace.
  expect(woken).toEqual(['Deployment/bank/third', 'Deployment/shop/first', 'Deployment/shop/second']);
});
