import { describe, expect, it } from 'vitest';
import { policyFor } from '../model/policy.ts';
import { full } from './annotations.test.support.ts';
import { wantOf } from './want.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  sourceFacts,
  targetFacts,
  workloadFacts,
} from './world.test.support.ts';

function wanted(config: Parameters<typeof configFacts>[0], annotation?: string) {
  const world = fakeWorld({
    sources: [sourceFacts({ kind: 'Secret', name: 'db' })],
    configs: [configFacts({ secrets: ['db'], targets: [targetFacts()], ...config })],
  });
  const annotations = annotation === undefined ? {} : full({ condition: annotation });
  return wantOf(workloadFacts({ annotations }), world, defaultSettings());
}

const texts = (want: ReturnType<typeof wanted>, key = 'secret/db'): string[] =>
  policyFor(want, [key]).conditions.map(({ text }) => text);

describe('the conditions of a workload', () => {
  it('are its own and those of configs that watch what changed', () => {
    const want = wanted({ condition: 'true' }, '1 == 1');
    expect(texts(want)).toEqual(['1 == 1', 'true']);
    expect(texts(want, 'secret/other')).toEqual(['1 == 1']);
  });

  it('of a target replace those of the spec', () => {
    expect(texts(wanted({ condition: 'true', targets: [targetFacts({ condition: 'false' })] }))).toEqual([
      'false',
    ]);
  });

  it('that are invalid hold it, and are reported with the fix', () => {
    const want = wanted({ condition: 'wrkload.replicas > 1' });
    const { invalid, conditions } = policyFor(want, ['secret/db']);
    expect(conditions).toEqual([]);
    expect(invalid).toContain(
      'condition in ReloaderConfig shop/rules is no condition (column 1: unknown variable: wrkload): write',
    );
    expect(want.problems).toEqual([{ field: 'condition', reason: 'InvalidCondition', message: invalid }]);
  });
});
