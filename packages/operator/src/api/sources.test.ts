import { expect, test } from 'vitest';
import type { World } from '../reloader/model/world.ts';
import type { Line } from './lines.ts';
import { sourceLine, usedSources } from './sources.ts';

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

test.each([
  [
    { kind: 'present', facts: { writtenAt: 60 } },
    { exists: 'yes', lastChanged: '1970-01-01T00:01:00.000Z' },
  ],
  [{ kind: 'gone' }, { exists: 'no' }],
  [{ kind: 'unknown', why: 'no right to read it' }, { exists: 'unknown' }],
])('one that is %j is not mistaken for one of another state', (state, expected) => {
  const source = { kind: 'Secret', namespace: 'shop', name: 'a' } as const;
  const line = sourceLine({ key: 'k', source, usedBy: 2 }, { source: () => state } as unknown as World);
  expect(line).toEqual({ source, usedBy: 2, ...expected });
});
