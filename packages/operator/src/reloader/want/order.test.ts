import { describe, expect, it } from 'vitest';
import { parseWave } from '../model/order.ts';
import { policyFor } from '../model/policy.ts';
import { full } from './annotations.test.support.ts';
import { wantOf } from './want.ts';
import { configFacts, defaultSettings, fakeWorld, sourceFacts, workloadFacts } from './world.test.support.ts';

it.each<[unknown, number | undefined]>([
  ['10', 10],
  ['-1', -1],
  [0, 0],
  ['2147483647', 2_147_483_647],
  ['2147483648', undefined],
  [-2_147_483_649, undefined],
  ['1.5', undefined],
  ['first', undefined],
  ['', undefined],
  [null, undefined],
])('%j as a wave is %s', (value, wave) => {
  expect(parseWave(value)).toBe(wave);
});

describe('an invalid setting of the order', () => {
  const held = (annotations: Record<string, string>, config: Parameters<typeof configFacts>[0] = {}) => {
    const world = fakeWorld({
      sources: [sourceFacts({ kind: 'Secret', name: 'db' })],
      configs: [configFacts({ secrets: ['db'], ...config })],
    });
    const want = wantOf(workloadFacts({ annotations: full(annotations) }), world, defaultSettings());
    return policyFor(want, ['secret/db']).invalid;
  };

  it.each([
    [
      'wave',
      'first',
      /"first" in reloader.stakater.com\/wave of the workload is no wave: it must be a whole/,
    ],
    ['canary', 'yes', /"yes" in reloader.stakater.com\/canary of the workload is neither "true" nor "false"/],
  ])('holds the workload: %s %s', (name, text, message) => {
    expect(held({ [name]: text })).toMatch(message);
  });

  it('holds the targets of a config, and for a wave that one alone', () => {
    const problems = [{ field: 'spec.canary', message: 'needs verify' }];
    expect(held({}, { problems })).toBe('spec.canary of ReloaderConfig shop/rules needs verify');
    const other = [{ field: 'spec.targets[1].wave', message: 'is no wave' }];
    expect(held({}, { problems: other })).toBeUndefined();
  });

  it('is neither a valid wave nor a valid canary', () => {
    expect(held({ wave: '1', canary: 'true' })).toBeUndefined();
  });
});
