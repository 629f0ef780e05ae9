import { expect, test } from 'vitest';
import type { Line } from './lines.ts';
import { usedSources } from './sources.ts';

const using = (...names: string[]): Line =>
  ({
    sources: names.map((text) => {
      const [namespace, name] = text.split('/');
      return { kind: 'Secret', namespace, name };
    }),
  }) as unknown as Line;

test('each source once, by name, with how many are reloaded for it', async () => {
  const found = await usedSources([using('shop/b', 'bank/z'), using('shop/a', 'shop/b'), using()]);
  expect(found.map(({ key, usedBy }) => [key, usedBy])).toEqual([
    ['bank/Secret/z', 1],
    ['shop/Secret/a', 1],
    ['shop/Secret/b', 2],
  ]);
});
