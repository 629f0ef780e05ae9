import { parseSelector } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import type { SourceRef } from '../../model/source.ts';
import {
  configFacts,
  fakeWorld,
  namespaceFacts,
  targetFacts,
  workloadFacts,
} from '../../want/world.test.support.ts';
import { goesFirst, hasWaves, waveOf } from './place.ts';

const web = workloadFacts({ name: 'web', annotations: { [FIXED_ANNOTATIONS.wave]: '3' } });
const settings = (namespace: string) => ({ kind: 'ConfigMap', namespace, name: 'settings' }) as const;
const targets = [targetFacts({ name: 'web', wave: 100 })];

/** The wave of `web` for this source, with a config of another namespace that names both. */
function wave(source: ReturnType<typeof settings>, allowFrom?: string, allowCrossNamespace = false): number {
  const annotations = allowFrom === undefined ? {} : { [FIXED_ANNOTATIONS.allowFrom]: allowFrom };
  const config = configFacts({ namespace: 'other', configMaps: ['settings'], targets });
  const world = fakeWorld({ configs: [config], namespaces: [namespaceFacts({ annotations })] });
  return waveOf(web, source, world, { allowCrossNamespace });
}

it('is set by a config of another namespace only where that may reach it, and for its own sources', () => {
  expect(wave(settings('other')), 'without permission').toBe(3);
  expect(wave(settings('other'), 'other')).toBe(100);
  expect(wave(settings('other'), undefined, true)).toBe(100);
  expect(wave(settings('shop'), 'other'), 'a source that the config does not watch').toBe(3);
});

describe('the config that sets the wave', () => {
  const SHOP = { configMaps: ['settings'], targets };
  const waveBy = (source: SourceRef, ...configs: Parameters<typeof configFacts>[0][]): number => {
    const namespaces = [namespaceFacts(), namespaceFacts({ name: 'other' })];
    const world = fakeWorld({ configs: configs.map(configFacts), namespaces });
    return waveOf(web, source, world, { allowCrossNamespace: true });
  };
  const secret = { kind: 'Secret', namespace: 'shop', name: 'db' } as const;

  it.each<[string, number, SourceRef, Parameters<typeof configFacts>[0]]>([
    ['names the ConfigMap', 100, settings('shop'), SHOP],
    ['names another ConfigMap', 3, settings('shop'), { ...SHOP, configMaps: ['x'] }],
    ['names the Secret', 100, secret, { secrets: ['db'], targets }],
    ['names a ConfigMap like the Secret', 3, secret, { configMaps: ['db'], targets }],
    ['names a Secret like the ConfigMap', 3, settings('shop'), { secrets: ['settings'], targets }],
    ['selects sources', 100, settings('shop'), { resourceSelector: parseSelector('a=b'), targets }],
    [
      'selects sources of another namespace',
      3,
      settings('other'),
      { resourceSelector: parseSelector('a=b'), targets },
    ],
    ['takes all sources of the workload', 100, settings('shop'), { autoReloadAll: true, targets }],
    ['takes all sources, of its namespace only', 3, settings('other'), { autoReloadAll: true, targets }],
    [
      'is of another namespace, and takes all of the workload',
      100,
      settings('shop'),
      { namespace: 'other', autoReloadAll: true, targets },
    ],
    [
      'selects Namespaces, and names the source',
      100,
      settings('other'),
      { ...SHOP, namespaceSelector: parseSelector('a=b') },
    ],
    ['has no wave for it', 3, settings('shop'), { ...SHOP, targets: [targetFacts({ name: 'web' })] }],
    [
      'has two entries: the first counts',
      100,
      settings('shop'),
      { ...SHOP, targets: [...targets, targetFacts({ name: 'web', wave: 200 })] },
    ],
  ])('%s: wave %i', (_, expected, source, config) => {
    expect(waveBy(source, config)).toBe(expected);
  });

  it('is the oldest one that sets it', () => {
    const young = {
      ...SHOP,
      name: 'young',
      createdAt: 900,
      targets: [targetFacts({ name: 'web', wave: 7 })],
    };
    expect(waveBy(settings('shop'), young, SHOP)).toBe(100);
  });
});

it('a config has waves if a target has one', () => {
  expect(hasWaves(configFacts({ targets }))).toBe(true);
  expect(hasWaves(configFacts({ targets: [targetFacts()] }))).toBe(false);
  expect(hasWaves(configFacts({ targets: [targetFacts(), ...targets] }))).toBe(true);
});

it.each([
  ['true', true],
  ['false', false],
])('the annotation canary: %s puts it first: %s', (value, expected) => {
  expect(goesFirst(workloadFacts({ annotations: { [FIXED_ANNOTATIONS.canary]: value } }))).toBe(expected);
});
