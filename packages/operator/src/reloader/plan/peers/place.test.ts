import { expect, it } from 'vitest';
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import {
  configFacts,
  fakeWorld,
  namespaceFacts,
  targetFacts,
  workloadFacts,
} from '../../want/world.test.support.ts';
import { waveOf } from './place.ts';

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
