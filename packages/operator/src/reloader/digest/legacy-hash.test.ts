import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { legacyHashOf } from './legacy-hash.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const value = (key: string, text: string): [string, Uint8Array] => [key, Buffer.from(text)];

describe('The hash of the earlier operator', () => {
  it('is over sorted keys and values', () => {
    expect(legacyHashOf([value('b', '2'), value('a', '1')])).toBe(sha256('a:1;b:2;'));
  });

  it('lets the last of equal keys win', () => {
    expect(legacyHashOf([value('a', 'text'), value('a', 'binary')])).toBe(sha256('a:binary;'));
  });

  it('is empty without data', () => {
    expect(legacyHashOf([])).toBe('');
  });
});
