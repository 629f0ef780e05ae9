/** Runs the cases on one server and compares every answer with the recorded one of a real API server. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { answersOf, RECORDING, type Recording } from './answers.ts';
import { allCases } from './cases/index.ts';
import type { Target } from './probe.ts';

export function behaviourSuite(title: string, target: () => Target): void {
  const recording = JSON.parse(readFileSync(RECORDING, 'utf8')) as Recording;
  describe(title, () => {
    for (const group of allCases) {
      describe(group.title, () => {
        for (const behaviour of group.cases) {
          test(behaviour.name, async () => {
            const expected = recording[`${group.title}: ${behaviour.name}`];
            if (!expected) throw new Error('not recorded yet: run "npx tsx test/behaviour/record.ts"');
            expect(await answersOf(target(), behaviour)).toEqual(expected);
          });
        }
      });
    }
  });
}
