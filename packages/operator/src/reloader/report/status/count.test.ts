import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configIdOf, type Reload } from '../../model/counted.ts';
import { countedWith, isAskedBy, uncounted } from './count.ts';

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
          counted = countedWith(counted, fresh);
        }
        expect(sum).toBe(total);
      }),
    );
  });
});

describe('a reload was asked for by a config', () => {
  const metadata = { namespace: 'shop', name: 'rules', uid: '0b1c2d3e-uid', resourceVersion: '7' };
  const config = { metadata, createdAt: 1_000 };
  const named = { at: 900, configs: ['shop/other', 'shop/rules'] };

  test.each([
    ['that it names by its id, although a clock was behind', ['x', configIdOf(metadata)], 900, true],
    ['of the same name and another id: no, although a clock was ahead', ['x', 'earlier'], 1_100, false],
    ['that it names without an id, if it is not older', undefined, 1_000, true],
    ['that it names without an id: no, if it is older', undefined, 999, false],
  ])('%s', (_name, configIds, time, expected) => {
    expect(isAskedBy({ ...named, at: time, ...(configIds && { configIds }) }, config)).toBe(expected);
  });

  test('that it does not name: no', () => {
    expect(isAskedBy({ at: 2_000, configs: ['shop/other'] }, config)).toBe(false);
  });
});

test('reloads by operators whose clocks differ are counted once, in any number of portions', () => {
  const clocks = fc.array(fc.record({ skew: fc.integer({ min: -150, max: 150 }), size: fc.nat({ max: 5 }) }));
  fc.assert(
    fc.property(clocks, (leaders) => {
      const recent: Reload[] = [];
      let counted: Reload | undefined;
      let sum = 0;
      for (const { skew, size } of leaders) {
        for (let made = 0; made < size; made++)
          recent.push(at(recent.length + 1, 1_000 + recent.length * 5 + skew));
        // A ledger holds the last five only.
        const fresh = uncounted(recent.slice(-5), counted, 0);
        sum += fresh.length;
        counted = countedWith(counted, fresh);
      }
      expect(sum).toBe(recent.length);
    }),
  );
});
