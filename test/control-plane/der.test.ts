import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bitString, encode, integer, objectIdentifier, time } from './der.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('DER', () => {
  test.each([
    [0, '0400'],
    [127, '047f'],
    [128, '048180'],
    [256, '04820100'],
  ])('writes a length of %i as short as possible', (length, header) => {
    expect(hex(encode(0x04, Buffer.alloc(length))).slice(0, header.length)).toBe(header);
  });

  test.each([
    ['00', '020100'],
    ['7f', '02017f'],
    ['80', '02020080'],
    ['0001', '020101'],
    ['00ff', '020200ff'],
  ])('writes the integer %s with no more leading zeros than its sign needs', (magnitude, expected) => {
    expect(hex(integer(Buffer.from(magnitude, 'hex')))).toBe(expected);
  });

  test('writes integers that read back as the same number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n }), (value) => {
        const digits = value.toString(16);
        const encoded = integer(
          Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'),
        );
        expect(encoded[1]).toBe(encoded.length - 2);
        expect(BigInt(`0x${hex(encoded.subarray(2))}`)).toBe(value);
        expect(((encoded[2] ?? 0) & 0x80) === 0).toBe(true);
      }),
    );
  });

  test.each([
    ['2.5.4.3', '0603550403'],
    ['1.2.840.10045.4.3.2', '06082a8648ce3d040302'],
  ])('writes the object identifier %s', (dotted, expected) => {
    expect(hex(objectIdentifier(dotted))).toBe(expected);
  });

  test('writes how many bits at the end of a bit string are unused', () => {
    expect(hex(bitString(Buffer.from([0b1000_0000]), 7))).toBe('03020780');
  });

  test('writes times to the second', () => {
    expect(time(new Date('2026-01-02T03:04:05.678Z')).toString('latin1', 2)).toBe('260102030405Z');
    expect(time(new Date('2050-01-02T03:04:05.678Z')).toString('latin1', 2)).toBe('20500102030405Z');
  });
});
