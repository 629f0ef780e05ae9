import { describe, expect, it } from 'vitest';
import { asBytes, asDouble, asInteger, asText, WireError, wireFields } from './wire-reader.ts';
import { MessageWriter } from './wire-writer.ts';

const read = (bytes: readonly number[]) => [...wireFields(new Uint8Array(bytes))];

describe('wireFields', () => {
  it('gives back what was written', () => {
    const bytes = new MessageWriter().text(1, 'ü').integer(2, 300).double(3, 1.5).flag(20, true).finish();
    const [name, count, share, flag] = [...wireFields(bytes)];
    expect(asText(name?.value ?? 0n)).toBe('ü');
    expect(asInteger(count?.value ?? 0n)).toBe(300);
    expect(asDouble(share?.value ?? 0n)).toBe(1.5);
    expect(flag).toEqual({ number: 20, value: 1n });
  });

  it('reads negative numbers', () => {
    const [field] = read([0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
    expect(asInteger(field?.value ?? 0n)).toBe(-1);
  });

  it.each([
    ['a number that does not end', [0x08, 0xff]],
    ['a number that is too long', [0x08, ...Array<number>(11).fill(0xff)]],
    ['a string that is cut off', [0x0a, 5, 97]],
    ['a double that is cut off', [0x09, 1, 2]],
    ['field 0', [0x02, 0]],
    ['a wire type that nobody has', [0x0e]],
  ])('refuses %s', (_what, bytes) => {
    expect(() => read(bytes)).toThrow(WireError);
  });

  it('refuses values of another type than asked for', () => {
    expect(() => asBytes(1n)).toThrow(WireError);
    expect(() => asInteger(new Uint8Array())).toThrow(WireError);
    expect(() => asText(new Uint8Array([0xff]))).toThrow(WireError);
    expect(() => asDouble(new Uint8Array(4))).toThrow(WireError);
  });
});
