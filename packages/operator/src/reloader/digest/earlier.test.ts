import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { earlierHash } from './earlier.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const value = (key: string, text: string): [string, Uint8Array] => [key, Buffer.from(text)];

describe('The hash of the earlier operator', () => {
  it('is over sorted keys and values', () => {
    expect(earlierHash([value('b', '2'), value('a', '1')])).toBe(sha256('a:1;b:2;'));
  });

  it('lets the last of equal keys win', () => {
    expect(earlierHash([value('a', 'text'), value('a', 'binary')])).toBe(sha256('a:binary;'));
  });

  it('is empty without data', () => {
    expect(earlierHash([])).toBe('');
  });
});
