import { describe, expect, it } from 'vitest';
import type { SourceValue } from './framed.ts';
import {
  STAKATER_DELETED,
  stakaterConfigMapHash,
  stakaterProviderClassHash,
  stakaterSecretHash,
} from './stakater.ts';

function values(data: Record<string, string>): SourceValue[] {
  return Object.entries(data).map(([key, value]) => [key, Buffer.from(value)]);
}

const EMPTY = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
const A1_B2 = 'f83e99e324ba68ccc373a58ef1eb42f8ab88646a';
const TEST = 'b3cefbcce711f8574b0e66c41fc1dcf06eb5b6db';

describe("Stakater's hashes", () => {
  it.each([
    ['nothing', {}, EMPTY],
    ['two keys', { a: '1', b: '2' }, A1_B2],
    ['two keys in another order', { b: '2', a: '1' }, A1_B2],
    ['one key', { test: 'test' }, TEST],
  ])('of a ConfigMap and a Secret with %s are equal and as its own', (_, data, expected) => {
    expect(stakaterConfigMapHash(values(data), [])).toBe(expected);
    expect(stakaterSecretHash(values(data))).toBe(expected);
  });

  it('of a ConfigMap take binary data in its base64 form', () => {
    const hash = stakaterConfigMapHash(values({ test: 'test' }), values({ bintest: 'test' }));
    expect(hash).toBe('0d58150de76a895b24f4ca213f590766160c4349');
  });

  it('of a SecretProviderClass take its name and the versions of its objects', () => {
    const hash = stakaterProviderClassHash('spc', [{ id: 'secret/a', version: '1' }]);
    expect(hash).toBe('1e49c3e8d8a9eb6daed091f20980da1e46e55cec');
  });

  it('include a marker for deleted sources', () => {
    expect(STAKATER_DELETED).toBe('aae45badef99284e4dae01d6046154ea9d99532f');
  });

  it('sort by bytes, not by UTF-16 units', () => {
    // U+FFFD sorts before U+1F600 by bytes and after it by UTF-16 units.
    const [first, second] = ['\uFFFD', '\u{1F600}'];
    const sorted = stakaterSecretHash(values({ [first]: '', [second]: '' }));
    expect(sorted).toBe(stakaterSecretHash([[first, Buffer.from(`;${second}=`)]]));
  });

  it('hash bytes that are no text', () => {
    const invalid: SourceValue = ['a', Buffer.from([0xff, 0xfe])];
    expect(stakaterSecretHash([invalid])).not.toBe(stakaterSecretHash(values({ a: '\uFFFD\uFFFD' })));
  });
});
