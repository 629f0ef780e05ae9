import { expect, test } from 'vitest';
import { formatCounted, highestCounted, parseCounted } from './counted.ts';

test('a count survives being written and read', () => {
  const reload = { seq: 7, at: 1_893_456_000 };
  expect(parseCounted(formatCounted(reload))).toEqual(reload);
  for (const text of [undefined, '', '7', '7@', 'a@b', '-1@2', '1@2@3', 7])
    expect(parseCounted(text)).toBeUndefined();
});

test('the highest counted number is that of this workload in any config, unless it is forged', () => {
  const counting = (countedReloads: unknown) => ({ status: { countedReloads } });
  const configs = [counting({ web: '3@100', other: '9@100' }), counting({ web: '5@90' }), { status: {} }];
  expect(highestCounted(configs, 'web')).toBe(5);
  expect(highestCounted([...configs, counting({ web: `${2 ** 31}@100` })], 'web')).toBe(5);
  expect(highestCounted([counting('text'), counting({ web: 4 })], 'web')).toBe(0);
});
