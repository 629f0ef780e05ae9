/** Turns among peers by their records, outcomes and plans: waves, canaries, and the workloads that count as peers. */
import { describe, expect, it } from 'vitest';
import { present, wantFor } from '../../decide/decide.test.support.ts';
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import type { ConfigFacts } from '../../model/config.ts';
import type { Verdict } from '../../model/decision.ts';
import type { Canary } from '../../model/order.ts';
import { configFacts, targetFacts, workloadFacts } from '../../want/world.test.support.ts';
import { turnByCanary } from './canary.ts';
import { namesOf } from './names.ts';
import { mayHaveOrder, orderOf } from './order.ts';
import {
  behind,
  CONTENT,
  ended,
  NOW,
  OLD,
  orderInput,
  outcome,
  type Peer,
  refOfPeer,
  SOURCE,
} from './peers.test.support.ts';
import type { OrderInput } from './standing.ts';
import { turnByWave } from './waves.ts';

const numbered = (count: number, make: (name: string) => Peer): Peer[] =>
  Array.from({ length: count }, (_, index) => make(`app-${String(index).padStart(2, '0')}`));
const keyOf = (name: string): string => `Deployment/shop/${name}`;
const frozen = { kind: 'defer', why: 'frozen', heldBy: 'frozen' } as const;

describe('names of peers', () => {
  const peers = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ key: keyOf(name), why: '' }));

  it.each([
    [1, 'Deployment shop/a'],
    [3, 'Deployment shop/a, Deployment shop/b, Deployment shop/c'],
    [5, 'Deployment shop/a, Deployment shop/b, Deployment shop/c and 2 more'],
  ])('of %i: %s', (count, expected) => {
    expect(namesOf(peers.slice(0, count))).toBe(expected);
  });

  it('are told with the reason', () => {
    expect(namesOf([{ key: keyOf('a'), why: 'window' }])).toBe('Deployment shop/a (window)');
  });
});

describe('a wave', () => {
  const turn = (...peers: Peer[]) =>
    turnByWave(
      2,
      peers.map((peer) => ({ ref: refOfPeer(peer), uid: `uid-${peer.name}`, wave: 1 })),
      SOURCE,
      orderInput(peers),
    );

  it('waits for nobody who is done, unaffected or aside', () => {
    expect(turn(ended('a', 'ok'), { name: 'b' }, behind('c', frozen))).toEqual({
      turn: undefined,
      failures: [],
    });
  });

  it('names those that it waits for, and those that it does not wait for', () => {
    expect(turn(ended('a', 'open'), ended('b', 'superseded')).turn).toEqual({
      message:
        'Wave 2 waits for wave 1: Deployment shop/a (rolls out); not waited for: Deployment shop/b (superseded)',
      until: undefined,
      peers: [keyOf('a')],
    });
  });

  it('waits for the first twenty', () => {
    const { turn: later } = turn(...numbered(25, (name) => ended(name, 'open')));
    expect(later?.peers).toEqual(numbered(20, behind).map(({ name }) => keyOf(name)));
  });

  it('is not certain while the first of them has no plan, and plans no more than one', () => {
    expect(turn(behind('a'), behind('b')).turn).toEqual({
      message:
        'Wave 2 waits for wave 1: Deployment shop/a (being looked into); 1 more of lower waves do not have the change yet',
      until: undefined,
      peers: [keyOf('a')],
      unfinished: true,
    });
  });

  it('tells those that failed', () => {
    expect(turn(ended('a', 'failed', { message: 'crash' })).failures).toEqual([
      { workload: keyOf('a'), uid: 'uid-a', seq: 1, message: 'crash', source: SOURCE },
    ]);
  });
});

describe('a canary', () => {
  const BAKE = 3_600_000;
  const steps: Canary = { steps: [{ count: 1 }, { count: 3 }], bakeMs: BAKE };
  const configOf = (peers: readonly Peer[], canary: Canary | undefined = steps): ConfigFacts =>
    configFacts({ configMaps: ['a'], canary, targets: peers.map((peer) => targetFacts(refOfPeer(peer))) });
  /** The turn of the last of these peers. */
  const result = (peers: readonly Peer[], config = configOf(peers), parts: Partial<OrderInput> = {}) => {
    const own = workloadFacts({ ...peers.at(-1)?.facts, name: peers.at(-1)?.name ?? '' });
    return turnByCanary(own, config, SOURCE, orderInput(peers, { configs: [config], ...parts }));
  };
  const turn = (...peers: Peer[]) => result(peers).turn;
  const where = (step: number, size: number, count: number) =>
    `Canary of ReloaderConfig shop/rules, step ${step} of 2 (${size} of ${count})`;
  const baked = (name: string) => ended(name, 'ok', { at: (NOW - BAKE) / 1000 });

  it('begins with the first by name', () => {
    expect(turn(behind('b', {}), behind('a', {}))).toBeUndefined();
    expect(turn(behind('a', {}), behind('b', {}))).toEqual({
      message: `${where(1, 1, 2)}: waits for Deployment shop/a (about to begin)`,
      until: undefined,
      peers: [keyOf('a')],
    });
  });

  it('waits for rollouts of the step, and then for its bake time', () => {
    expect(turn(ended('a', 'open'), behind('b', {}))).toEqual({
      message: `${where(1, 1, 2)}: waits for Deployment shop/a (rolls out)`,
      until: undefined,
      peers: [keyOf('a')],
    });
    expect(turn(ended('a', 'ok'), behind('b', {}))).toEqual({
      message: `${where(1, 1, 2)}: the next step begins after 3600s`,
      until: NOW - 60_000 + BAKE,
      peers: [],
    });
    expect(turn(baked('a'), behind('b', {}))).toBeUndefined();
  });

  it('counts the bake time from the last success of a step, whatever the order', () => {
    const config = (peers: readonly Peer[]) => configOf(peers, { steps: [{ count: 2 }], bakeMs: BAKE });
    const early = ended('a', 'ok', { at: NOW / 1000 - 200 });
    const late = ended('b', 'ok', { at: NOW / 1000 - 100 });
    for (const begun of [
      [early, late],
      [late, early],
    ]) {
      const peers = [...begun, behind('c', {})];
      expect(result(peers, config(peers)).turn?.until).toBe(NOW - 100_000 + BAKE);
    }
  });

  it('waits for proof where members have failed', () => {
    expect(turn(ended('a', 'failed'), behind('b', {}))).toEqual({
      message: `${where(1, 1, 2)}: waits until those that have the change have proven themselves`,
      until: undefined,
      peers: [],
    });
    expect(result([ended('a', 'failed', { message: 'crash' }), behind('b', {})]).failures).toEqual([
      { workload: keyOf('a'), uid: 'uid-a', seq: 1, message: 'crash', source: SOURCE },
    ]);
    expect(result([baked('a'), ended('b', 'open'), behind('c', {})]).failures).toEqual([]);
  });

  it('fills a step with the next members', () => {
    expect(turn(baked('a'), behind('b', {}), behind('c', {}), behind('d', {}))?.peers).toEqual([
      keyOf('b'),
      keyOf('c'),
    ]);
    expect(turn(baked('a'), behind('b', {}), behind('c', {}))).toBeUndefined();
  });

  it('skips members that a user holds, or whose outcome stays unknown', () => {
    expect(turn(behind('a', frozen), behind('b', {}))).toBeUndefined();
    expect(turn(ended('a', 'superseded'), behind('b', {}))).toBeUndefined();
  });

  it('does not count members without the source, or that are gone', () => {
    const peers = [{ name: 'a' }, behind('b', {}), behind('c', {})];
    const config = configOf([...peers, { name: 'gone' }]);
    expect(result(peers, config).turn?.message).toMatch(/\(1 of 2\)/);
  });

  it('counts only members of the same wave', () => {
    const annotations = { [FIXED_ANNOTATIONS.wave]: '5' };
    const peers = [{ ...behind('a', {}), facts: { annotations } }, behind('b', {})];
    expect(result(peers).turn).toBeUndefined();
  });

  it('is not certain while a member has no plan', () => {
    expect(turn(behind('a'), behind('b', {}))?.unfinished).toBe(true);
    expect(turn(behind('a', {}), behind('b', {}))).not.toHaveProperty('unfinished');
  });

  it('waits for the first twenty', () => {
    const peers = numbered(25, (name) => ended(name, 'open'));
    const all = [...peers, behind('z', {})];
    const config = configOf(all, { steps: [{ percent: 100 }], bakeMs: BAKE });
    expect(result(all, config).turn).toBeUndefined();
    expect(result(all, configOf(all)).turn?.peers).toEqual(peers.slice(0, 20).map(({ name }) => keyOf(name)));
  });

  it('goes on at the step that an earlier change had reached', () => {
    const between = outcome('ok', { seq: 1, content: 'between' });
    const twice = (name: string, last: Partial<Parameters<typeof outcome>[1]> = {}): Peer => ({
      name,
      content: CONTENT,
      record: { seq: 2 },
      outcomes: [between, outcome('ok', { seq: 2, at: (NOW - BAKE) / 1000, ...last })],
    });
    const once = (name: string): Peer => ({
      ...behind(name, {}),
      content: 'between',
      outcomes: [between],
    });
    const three = [twice('a'), once('b'), once('c')];
    expect(turn(...three, behind('d', {}), behind('e', {})), 'three had the earlier one').toBeUndefined();
    const two = [twice('a'), once('b'), behind('c', {})];
    expect(turn(...two, behind('d', {}), behind('e', {}))?.message).toContain('step 2 of 2 (3 of 5)');
    const failed = { ...once('c'), outcomes: [outcome('failed', { content: 'between' })] };
    expect(turn(twice('a'), once('b'), failed, behind('d', {}), behind('e', {}))?.message).toContain(
      'step 2',
    );
    const before = { ...behind('c', {}), outcomes: [outcome('ok', { content: OLD })] };
    expect(turn(twice('a'), once('b'), before, behind('d', {}), behind('e', {}))?.message).toContain(
      'step 2',
    );
  });

  it('orders nothing if the config has none', () => {
    const peers = [behind('a', {}), behind('b', {})];
    const { canary: _, ...without } = configOf(peers);
    expect(result(peers, { ...without, canary: undefined }).turn).toBeUndefined();
  });
});

describe('the order of a workload', () => {
  const waves = (...names: [string, number, string?][]): ConfigFacts =>
    configFacts({
      configMaps: ['a'],
      targets: names.map(([name, wave, namespace = 'shop']) => targetFacts({ name, wave, namespace })),
    });
  const own = workloadFacts({ name: 'web' });
  const wanted = (configs: readonly ConfigFacts[]) => ({
    ...wantFor([
      present('a', 'new', {
        configs: configs.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
      }),
    ]),
    configs,
  });
  const verdict = (reload = true): Verdict => ({
    action: 'reload',
    situation: 'recorded',
    base: '-',
    differences: [{ key: 'cm/a', finding: 'changed', reload, next: undefined }],
    recorded: undefined,
    record: undefined,
    recordUrgent: false,
  });
  const order = (
    peers: readonly Peer[],
    configs: readonly ConfigFacts[],
    { want = wanted(configs), changes = verdict(), workload = own } = {},
  ) =>
    orderOf(
      workload,
      want,
      changes,
      orderInput([...peers, behind('web')], { configs, settings: { allowCrossNamespace: true } }),
    );

  it('waits for peers of lower waves, by wave and then by name', () => {
    const peers = [behind('c', {}), ended('b', 'open'), ended('a', 'open')];
    const config = waves(['a', 1], ['b', 1], ['c', 0], ['web', 2]);
    expect(order(peers, [config]).wave?.peers).toEqual([keyOf('c'), keyOf('a'), keyOf('b')]);
    expect(order(peers.toReversed(), [config]).wave?.peers).toEqual([keyOf('c'), keyOf('a'), keyOf('b')]);
    expect(order(peers, [waves(['a', 2], ['b', 2], ['c', 3], ['web', 2])])).toEqual({ failures: [] });
  });

  it('counts a workload of another namespace only if it is a target of the same config', () => {
    const far = { ...ended('far', 'open'), namespace: 'far' };
    const farOutcomes = {
      ...far,
      outcomes: [outcome('open')].map((each) => ({ ...each, sources: { 'cm/shop/a': CONTENT } })),
    };
    const both = waves(['far', 1, 'far'], ['web', 2]);
    expect(order([farOutcomes], [both]).wave?.peers).toEqual(['Deployment/far/far']);
    const annotated = { ...farOutcomes, facts: { annotations: { [FIXED_ANNOTATIONS.wave]: '1' } } };
    expect(order([annotated], [waves(['web', 2])])).toEqual({ failures: [] });
  });

  it('is asked for changed sources that are wanted', () => {
    const config = waves(['a', 1], ['web', 2]);
    const peers = [ended('a', 'open')];
    expect(order(peers, [config], { changes: verdict(false) })).toEqual({ failures: [] });
    expect(order(peers, [config], { want: { ...wantFor([]), configs: [config] } })).toEqual({ failures: [] });
    const other = { ...wanted([]), configs: [config] };
    expect(order(peers, [config], { want: other }), 'the config does not ask for it').toEqual({
      failures: [],
    });
  });

  it('tells failures of peers without a turn to wait for', () => {
    const config = waves(['a', 1], ['web', 2]);
    expect(order([ended('a', 'failed')], [config])).toMatchObject({ failures: [{ workload: keyOf('a') }] });
  });

  it.each<[string, readonly ConfigFacts[], Record<string, string>, boolean, boolean]>([
    ['nothing', [configFacts()], {}, false, false],
    ['a config with waves', [configFacts(), waves(['web', 2])], {}, false, true],
    ['its own annotation', [], { [FIXED_ANNOTATIONS.wave]: '1' }, false, true],
    ['annotations of its namespace', [], {}, true, true],
    [
      'a config with a canary',
      [configFacts(), configFacts({ canary: { steps: [], bakeMs: 1 } })],
      {},
      false,
      true,
    ],
  ])('is looked at with %s: %s', (_, configs, annotations, isOrdered, expected) => {
    const { peers } = orderInput([]);
    const workload = workloadFacts({ annotations });
    expect(mayHaveOrder(workload, { configs }, { ...peers, isOrdered: () => isOrdered })).toBe(expected);
  });
});
