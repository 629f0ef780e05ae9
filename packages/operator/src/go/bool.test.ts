import { expect, test } from 'vitest';
import { parseGoBool } from './bool.ts';

test.each(['1', 't', 'T', 'true', 'True', 'TRUE'])('%s is true', (text) => {
  expect(parseGoBool(text)).toBe(true);
});

test.each(['0', 'f', 'F', 'false', 'False', 'FALSE'])('%s is false', (text) => {
  expect(parseGoBool(text)).toBe(false);
});

test.each(['', ' true', 'true ', 'tRUE', 'yes', 'no', 'on', '2', '-1', 'y', 'null'])(
  '"%s" is neither',
  (text) => {
    expect(parseGoBool(text)).toBeUndefined();
  },
);
