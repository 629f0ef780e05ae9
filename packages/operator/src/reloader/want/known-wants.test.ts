import { expect, test } from 'vitest';
import type { SourceState } from '../model/source-facts.ts';
import type { World } from '../model/world.ts';
import { wantOf } from './want.ts';
import {
  configFacts,
  defaultSettings,
  type FakeWorld,
  fakeWorld,
  sourceFacts,
  usingPodSpec,
  workloadFacts,
} from './world.test.support.ts';

const NAMES = Array.from({ length: 40 }, (_, index) => `settings-${index}`);
const settings = defaultSettings();
const workload = workloadFacts({
  annotations: { 'reloader.stakater.com/auto': 'true' },
  podSpec: usingPodSpec(...NAMES.map((name) => ({ kind: 'ConfigMap' as const, name }))),
});
const sources = NAMES.map((name) => sourceFacts({ name }));

interface Answers {
  revision: number;
  source?: SourceState | undefined;
  config?: ReturnType<typeof configFacts>;
}

/** A world whose revisions and other answers the test changes. */
function changeable(): { readonly world: World; readonly fake: FakeWorld; readonly now: Answers } {
  const fake = fakeWorld({ sources, configs: [configFacts({ configMaps: ['settings-0'] })] });
  const now: Answers = { revision: 1 };
  const world: World = {
    ...fake,
    revision: () => now.revision,
    source: (ref) => now.source ?? fake.source(ref),
    config: (key) => now.config ?? fake.config(key),
  };
  return { world, fake, now };
}

test('a want is computed again only when its namespace has another revision', () => {
  const { world, fake, now } = changeable();
  const first = wantOf(workload, world, settings);
  const asked = fake.calls.get('configsFor');
  expect(wantOf(workload, world, settings)).toEqual(first);
  expect(fake.calls.get('configsFor')).toBe(asked);
  now.source = { kind: 'gone' };
  now.revision = 2;
  expect(wantOf(workload, world, settings).sources[0]?.state.kind).toBe('gone');
});

test('a want with a source that is not there is not kept: it may appear without a revision', () => {
  const { world, now } = changeable();
  now.source = { kind: 'unknown', why: 'not in sync' };
  expect(wantOf(workload, world, settings).sources[0]?.state.kind).toBe('unknown');
  now.source = undefined;
  expect(wantOf(workload, world, settings).sources[0]?.state.kind).toBe('present');
});

test('a kept want has the present statuses of its configs, which have no revision', () => {
  const { world, now } = changeable();
  wantOf(workload, world, settings);
  const written = configFacts({
    configMaps: ['settings-0'],
    status: { countedReloads: { 'uid-web': '7@100' } },
  });
  now.config = written;
  expect(wantOf(workload, world, settings).configs).toEqual([written]);
});
