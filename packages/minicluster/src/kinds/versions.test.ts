import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareVersions } from './versions.ts';

test('stable versions come first, then newer ones, and names that are no versions last', () => {
  const versions = ['foo', 'v1alpha1', 'v1', 'v10', 'v2beta1', 'v1beta2', 'bar', 'v2', 'v1beta10'];
  expect(versions.sort(compareVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v2beta1',
    'v1beta10',
    'v1beta2',
    'v1alpha1',
    'bar',
    'foo',
  ]);
});

const version = fc.oneof(
  fc.stringMatching(/^v[1-9][0-9]?((alpha|beta)[1-9])?$/),
  fc.stringMatching(/^[a-z]{1,3}$/),
);

test('any versions have one order', () => {
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) || 0);
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
        expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
    }),
  );
});
