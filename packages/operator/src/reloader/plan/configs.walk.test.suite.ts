/**
 * Random ReloaderConfigs for one workload, random edits, refusals and crashes: the config that watches the changed
 * source decides how and when, the oldest where several do; no other config's pause holds it, nothing is lost and
 * nothing happens twice.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigsWalk, SOURCES, type Speaker } from './configs.walk.test.support.ts';

const LONGEST_PAUSE = 7_200;
const says = {
  strategy: fc.constantFrom('env-vars', 'annotations', undefined),
  pauseSeconds: fc.constantFrom(undefined, 0, 60, LONGEST_PAUSE),
};
const speaker: fc.Arbitrary<Speaker> = fc.record({
  watches: fc.subarray([...SOURCES], { minLength: 1 }),
  ...says,
});
const speakers = fc.array(speaker, { minLength: 2, maxLength: 4 });

type Step = readonly [what: string, run: (walk: ConfigsWalk) => void];
const step = (what: string, run: (walk: ConfigsWalk) => void): fc.Arbitrary<Step> =>
  fc.constant([what, run] as const);
const edit: fc.Arbitrary<Step> = fc
  .constantFrom(...SOURCES)
  .map((name) => [`edit ${name}`, (walk: ConfigsWalk) => walk.edit(name)] as const);
const index = fc.integer({ min: 0, max: 3 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: edit },
  { weight: 4, arbitrary: step('pass', (walk) => walk.pass()) },
  { weight: 1, arbitrary: step('pass, and its PATCH is refused', (walk) => walk.pass(true)) },
  { weight: 1, arbitrary: step('crash', (walk) => walk.crash()) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(index, fc.record(says))
      .map(
        ([of, said]) => [`config ${of} says otherwise`, (walk: ConfigsWalk) => walk.say(of, said)] as const,
      ),
  },
  {
    weight: 1,
    arbitrary: index.map(
      (of) => [`config ${of} goes`, (walk: ConfigsWalk) => walk.deleteConfig(of)] as const,
    ),
  },
);
const history = fc.array(fc.tuple(steps, fc.constantFrom(1, 20, 70, 1800)), { maxLength: 30, size: 'max' });

/** A walk takes milliseconds, on a busy machine much longer. */
const LONGEST_MS = 3_600_000;

/** `runs` walks. */
export function configWalks(runs: number): void {
  describe('random ReloaderConfigs for one workload', () => {
    it(
      'apply to changes of the sources that they watch, and to no others',
      () => {
        fc.assert(
          fc.property(speakers, history, (given, told) => {
            const walk = new ConfigsWalk(given);
            for (const [[, run], seconds] of told) {
              walk.now += seconds * 1000;
              run(walk);
            }
            walk.now += (LONGEST_PAUSE + 1) * 1000;
            walk.pass();
            expect(walk.broken).toEqual([]);
            expect([...walk.pending], 'lost').toEqual([]);
            expect(walk.reloads).toBeLessThanOrEqual(walk.edits);
          }),
          { numRuns: runs },
        );
      },
      LONGEST_MS,
    );
  });
}
