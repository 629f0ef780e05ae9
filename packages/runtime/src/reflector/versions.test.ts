import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, hasReached, isOlder, newerOf } from './versions.ts';

const version = fc.bigInt({ min: 0n, max: 2n ** 80n });

describe('Order of resourceVersions', () => {
  it('is the order of numbers of any length', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        const order = compareVersions(String(a), String(b)) ?? Number.NaN;
        expect(Math.sign(order)).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it('finds equal ones equal', () => {
    fc.assert(
      fc.property(version, (a) => {
        expect(compareVersions(String(a), String(a))).toBe(0);
      }),
    );
  });

  it('tells neighbours above 2^53 apart', () => {
    expect(isOlder('9007199254740992', '9007199254740993')).toBe(true);
  });

  it.each(['', 'abc', '-1', '1.5', '0x10', '007', ' 7'])('is not known for %j', (text) => {
    expect(compareVersions(text, '7')).toBeUndefined();
    expect(compareVersions('7', text)).toBeUndefined();
  });

  it('treats what cannot be compared as neither older nor reached', () => {
    expect(isOlder('abc', '7')).toBe(false);
    expect(hasReached('abc', '7')).toBe(false);
    expect(hasReached('abc', 'abc')).toBe(true);
    expect(newerOf('7', 'abc')).toBe('abc');
  });

  it('takes the newer of two', () => {
    expect(newerOf('100', '99')).toBe('100');
    expect(newerOf('99', '100')).toBe('100');
    expect(newerOf(undefined, '1')).toBe('1');
  });

  it('has reached nothing before the first version', () => {
    expect(hasReached(undefined, '0')).toBe(false);
    expect(isOlder('5', undefined)).toBe(false);
  });
});
