import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DurationError, formatGoDuration, parseGoDuration } from './duration.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;

describe('reading', () => {
  test.each([
    ['0', 0],
    ['+0', 0],
    ['5s', 5 * S],
    ['30s', 30 * S],
    ['1478s', 1478 * S],
    ['-5s', -5 * S],
    ['+5s', 5 * S],
    ['5.0s', 5 * S],
    ['5.6s', 5600],
    ['5.s', 5 * S],
    ['.5s', 500],
    ['1.004s', 1004],
    ['100.00100s', 100_001],
    ['10ns', 10e-6],
    ['11us', 11e-3],
    ['12µs', 12e-3],
    ['12μs', 12e-3],
    ['13ms', 13],
    ['15m', 15 * M],
    ['16h', 16 * H],
    ['3h30m', 3 * H + 30 * M],
    ['10.5s4m', 4 * M + 10_500],
    ['-2m3.4s', -(2 * M + 3400)],
    ['1h2m3s4ms5us6ns', H + 2 * M + 3004.005006],
    ['39h9m14.425s', 39 * H + 9 * M + 14_425],
    ['1.9ns', 1e-6],
    ['0.3333333333333333333h', 20 * M],
    ['2562047h47m16.854775807s', 2562047 * H + 47 * M + 16_854.775807],
  ])('%s', (text, ms) => expect(parseGoDuration(text)).toBeCloseTo(ms, 6));

  test('-0 is 0', () => expect(parseGoDuration('-0')).toBe(0));

  test.each([
    ['', 'time: invalid duration ""'],
    ['-', 'time: invalid duration "-"'],
    ['+', 'time: invalid duration "+"'],
    ['s', 'time: invalid duration "s"'],
    ['.', 'time: invalid duration "."'],
    ['.s', 'time: invalid duration ".s"'],
    ['+.s', 'time: invalid duration "+.s"'],
    ['--1s', 'time: invalid duration "--1s"'],
    ['3', 'time: missing unit in duration "3"'],
    ['3s4', 'time: missing unit in duration "3s4"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['1 s', 'time: unknown unit " s" in duration "1 s"'],
    ['1S', 'time: unknown unit "S" in duration "1S"'],
    ['1e3s', 'time: unknown unit "e" in duration "1e3s"'],
    ['1constructor', 'time: unknown unit "constructor"'],
    ['3000000h', 'time: invalid duration "3000000h"'],
  ])('"%s" is refused in the words of Go', (text, message) => {
    expect(() => parseGoDuration(text)).toThrow(DurationError);
    expect(() => parseGoDuration(text)).toThrow(message);
  });
});

describe('writing', () => {
  test.each([
    [0, '0s'],
    [1e-6, '1ns'],
    [1.1e-3, '1.1µs'],
    [2.2, '2.2ms'],
    [3300, '3.3s'],
    [300, '300ms'],
    [4 * M + 5 * S, '4m5s'],
    [4 * M + 5001, '4m5.001s'],
    [5 * H + 6 * M + 7001, '5h6m7.001s'],
    [8 * M + 1e-6, '8m0.000000001s'],
    [H, '1h0m0s'],
    [-1500, '-1.5s'],
    [100 * H, '100h0m0s'],
  ])('%d ms is %s', (ms, text) => expect(formatGoDuration(ms)).toBe(text));

  test('a formatted duration parses back to the same value', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (ms) => {
        expect(parseGoDuration(formatGoDuration(ms))).toBeCloseTo(ms, 3);
      }),
    );
  });
});

test('any text is either parsed or refused with a DurationError', () => {
  const word = fc.constantFrom('1', '0', '.', '-', '+', 'h', 'm', 's', 'ms', 'µs', 'x', ' ', '9999999');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (words) => {
      try {
        expect(Number.isFinite(parseGoDuration(words.join('')))).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(DurationError);
      }
    }),
  );
});
