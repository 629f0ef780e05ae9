import { describe, expect, test } from 'vitest';
import { type Run, run } from './crash.ts';
import { crashCases } from './crash-cases.ts';
import type { Moment } from './storm.ts';

export function dieAtEveryWrite(moments: readonly (readonly [Moment, string])[]): void {
  describe.each(crashCases)('struck down in the middle of $name', (each) => {
    let undisturbed: Run;

    test('undisturbed, each change is rolled out once', async () => {
      undisturbed = await run(each);
      expect(undisturbed.broken).toEqual([]);
      expect(undisturbed.counts, undisturbed.story).toEqual(each.expected);
      expect(undisturbed.writes).toBeGreaterThan(2);
    });

    for (const [moment, when] of moments) {
      test(`${when}: at whichever write, the end and the counts are the same`, {
        timeout: 240_000,
      }, async () => {
        for (let write = 1; write <= undisturbed.writes; write++) {
          const struck = await run(each, { write, moment });
          const where = `write ${write} of ${undisturbed.writes}\n${struck.story}`;
          expect(struck.broken, where).toEqual([]);
          expect(struck.counts, where).toEqual(undisturbed.counts);
          expect(struck.state, where).toEqual(undisturbed.state);
        }
      });
    }
  });
}
