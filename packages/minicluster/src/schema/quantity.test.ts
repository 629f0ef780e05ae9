import { describe, expect, it } from 'vitest';
import { canonicalQuantity, nanoValue, QuantityError } from './quantity.ts';

/** The expected values are those of Go's resource.Quantity. */
const FROM_GO: [text: string, canonical: string | null, error?: string][] = [
  ['0', '0'],
  ['1', '1'],
  ['1000', '1k'],
  ['1024', '1024'],
  ['1500m', '1500m'],
  ['1000m', '1'],
  ['0.5', '500m'],
  ['.5', '500m'],
  ['5.', '5.'],
  ['1.5', '1500m'],
  ['100m', '100m'],
  ['1u', '1u'],
  ['1n', '1n'],
  ['0.1n', '1n'],
  ['1Ki', '1Ki'],
  ['1024Ki', '1Mi'],
  ['1.5Gi', '1536Mi'],
  ['0.5Gi', '512Mi'],
  ['0.5Ki', '512'],
  ['1.1Ki', '1126400m'],
  ['1023', '1023'],
  ['1024Mi', '1Gi'],
  ['1000Mi', '1000Mi'],
  ['1e3', '1e3'],
  ['1E3', '1E3'],
  ['1e-3', '1e-3'],
  ['1.5e2', '150'],
  ['12e6', '12e6'],
  ['1k', '1k'],
  ['1000k', '1M'],
  ['1M', '1M'],
  ['1.25M', '1250k'],
  ['+5', '+5'],
  ['-5', '-5'],
  ['-1.5', '-1500m'],
  ['-1500m', '-1500m'],
  ['-2Ki', '-2Ki'],
  ['1Ei', '1Ei'],
  ['1E', '1E'],
  ['9223372036854775807', '9223372036854775807'],
  ['9223372036854775808', '9223372036854775808'],
  ['100000000000000000000', '100E'],
  ['1.0', '1'],
  ['01', '01'],
  ['1.0Gi', '1Gi'],
  ['0.001', '1m'],
  ['0.0001', '100u'],
  ['1234567890123', '1234567890123'],
  ['1Pi', '1Pi'],
  ['3.3Ti', '3628388371660800m'],
  ['0Ki', '0'],
  ['0.0', '0'],
  ['1e0', '1e0'],
  ['123456m', '123456m'],
  ['0.000000001', '1n'],
  ['0.0000000001', '1n'],
  ['1.0000000001', '1000000001n'],
  ['2048', '2048'],
  ['1025Ki', '1025Ki'],
  ['e3', '0'],
  ['.', '0'],
  ['+', '0'],
  ['-', '0'],
  ['1e1000', '10e999'],
  ['10e2', '1e3'],
  ['1e-9', '1e-9'],
  ['1e-10', '1e-9'],
  ['15e-1', '1500e-3'],
  ['-0.1n', '-1n'],
  ['1.5Ki', '1536'],
  ['1536', '1536'],
  ['0.3Mi', '314572800m'],
  ['1e30', '1e30'],
  ['1234567890123456789012345', '1234567890123456789012345'],
  ['1Ei5', null, "unable to parse quantity's suffix"],
  ['', null, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  [
    'abc',
    null,
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  ['1x', null, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
  ['--1', null, "unable to parse quantity's suffix"],
  [
    '1.2.3',
    null,
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  ['1ee3', null, "unable to parse quantity's suffix"],
  ['1Kim', null, "unable to parse quantity's suffix"],
  ['1e', null, "unable to parse quantity's suffix"],
  ['1mi', null, "unable to parse quantity's suffix"],
  ['1e+3', '1e+3'],
  ['1E-3', '1E-3'],
  ['+1.50m', '1500u'],
  ['1e4', '10e3'],
  ['1e5', '100e3'],
  ['1e6', '1e6'],
  ['1e7', '10e6'],
  ['1e1', '10'],
];

describe('canonicalQuantity', () => {
  it.each(FROM_GO)('%j is %j', (text, canonical, error) => {
    if (canonical !== null) expect(canonicalQuantity(text)).toBe(canonical);
    else expect(() => canonicalQuantity(text)).toThrow(new QuantityError(error));
  });

  it.each(FROM_GO.filter(([, canonical]) => canonical !== null))('%j keeps its value', (text, canonical) => {
    expect(nanoValue(canonical as string)).toBe(nanoValue(text));
  });

  it('refuses numbers that would only fill memory', () => {
    expect(() => canonicalQuantity('1'.repeat(2000))).toThrow(QuantityError);
    expect(() => canonicalQuantity('1e99999999')).toThrow(QuantityError);
  });
});
