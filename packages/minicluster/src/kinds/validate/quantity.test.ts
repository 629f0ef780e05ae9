import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWhole, quantity } from './quantity.ts';

const BILLION = 1_000_000_000n;

test.each([
  ['1', BILLION],
  [2, 2n * BILLION],
  ['500m', BILLION / 2n],
  ['0.5', BILLION / 2n],
  ['.5', BILLION / 2n],
  ['1Ki', 1024n * BILLION],
  ['1.5Gi', 1536n * 1024n * 1024n * BILLION],
  ['2k', 2000n * BILLION],
  ['1e3', 1000n * BILLION],
  ['1E3', 1000n * BILLION],
  ['1E', 10n ** 18n * BILLION],
  ['100n', 100n],
  ['-1', -BILLION],
  ['+1', BILLION],
])('%s is read', (text, billionths) => {
  expect(quantity(text)).toBe(billionths);
});

test.each(['', 'x', '1x', '1.2.3', '--1', '1 Gi', null, {}, '1e99999'])('%j is no quantity', (value) => {
  expect(quantity(value)).toBeUndefined();
});

test('what is smaller than can be told is rounded up', () => {
  expect(quantity('0.1n')).toBe(1n);
});

test('half a thing is not whole', () => {
  expect(isWhole(quantity('1500m') ?? 0n)).toBe(false);
  expect(isWhole(quantity('2000m') ?? 0n)).toBe(true);
});

test('a thousand of a unit is one of the next', () => {
  const units = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T'];
  fc.assert(
    fc.property(fc.nat(1000), fc.nat(units.length - 2), (amount, index) => {
      expect(quantity(`${amount}000${units[index]}`)).toBe(quantity(`${amount}${units[index + 1]}`));
    }),
  );
});
