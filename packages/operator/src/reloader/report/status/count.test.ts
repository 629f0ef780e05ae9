import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCounted, parseCounted, type Reload, uncounted } from './count.ts';

const at = (seq: number, time: number): Reload => ({ seq, at: time });

describe('what was not counted yet', () => {
  test.each([
    ['everything since the config was made', [at(1, 90), at(2, 100), at(3, 110)], undefined, 100, [2, 3]],
    ['what has a higher number', [at(3, 100), at(4, 100), at(5, 101)], at(3, 100), 0, [4, 5]],
    ['nothing twice', [at(3, 100), at(4, 101), at(4, 101)], at(3, 100), 0, [4]],
    ['nothing again after a rollout was undone', [at(1, 80), at(2, 90)], at(7, 100), 0, []],
    ['what came after the ledger was removed', [at(1, 120), at(2, 130)], at(7, 100), 0, [1, 2]],
    ['a higher number although the clock went back', [at(8, 95)], at(7, 100), 0, [8]],
  ])('%s', (_name, reloads, counted, since, expected) => {
    expect(uncounted(reloads, counted, since).map(({ seq }) => seq)).toEqual(expected);
  });

  test('what is counted in any number of portions is counted once', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 20 });
    fc.assert(
      fc.property(steps, (portions) => {
        const total = portions.reduce((sum, portion) => sum + portion, 0);
        const all = Array.from({ length: total }, (_, index) => at(index + 1, 100 + Math.floor(index / 3)));
        let counted: Reload | undefined;
        let sum = 0;
        let made = 0;
        for (const portion of portions) {
          made += portion;
          // A ledger holds the last five only.
          const fresh = uncounted(all.slice(Math.max(0, made - 5), made), counted, 0);
          sum += fresh.length;
          counted = fresh.at(-1) ?? counted;
        }
        expect(sum).toBe(total);
      }),
    );
  });
});

test('a count survives being written and read', () => {
  expect(parseCounted(formatCounted(at(7, 1893456000)))).toEqual(at(7, 1893456000));
  for (const text of [undefined, '', '7', '7@', 'a@b', '-1@2', '1@2@3'])
    expect(parseCounted(text)).toBeUndefined();
});
