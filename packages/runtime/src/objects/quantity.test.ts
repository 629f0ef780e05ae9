import { expect, test } from 'vitest';
import { sameAmount } from './quantity.ts';

test.each<[unknown, unknown]>([
  ['1000m', '1'],
  ['1024Mi', '1Gi'],
  ['0.5', '500m'],
  [2, '2'],
  [0.1, '100m'],
  ['1e3', '1k'],
  ['1.5Gi', '1536Mi'],
  ['-0', '0'],
  ['.5', '0.50'],
  ['9007199254740993', '9007199254740993000m'],
])('%s and %s are the same amount', (one, other) => {
  expect(sameAmount(one, other)).toBe(true);
  expect(sameAmount(other, one)).toBe(true);
});

test.each<[unknown, unknown]>([
  ['1', '2'],
  ['1G', '1Gi'],
  ['1', '-1'],
  ['9007199254740993', '9007199254740992'],
  ['', ''],
  ['.', '.'],
  ['many', 'many'],
  [undefined, undefined],
  [null, '0'],
])('%s and %s are not', (one, other) => {
  expect(sameAmount(one, other)).toBe(false);
});
