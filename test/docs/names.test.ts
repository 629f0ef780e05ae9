/** Everything that users can write, and every message that they get, is in the documentation. */
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_ANNOTATIONS,
  FIXED_ANNOTATIONS,
} from '../../packages/operator/src/reloader/model/annotations.ts';
import { read } from './blocks.ts';

const SOURCES = 'packages/operator/src';

/** The words of a list that the source does not export. */
function listIn(path: string, name: string): string[] {
  const [, items = ''] =
    new RegExp(`const ${name}[^=]*= \\[([^\\]]*)\\]`).exec(read(`${SOURCES}/${path}`)) ?? [];
  return [...items.matchAll(/'(\w+)'/g)].map(([, word = '']) => word);
}

const missingIn = (page: string, words: readonly string[]): string[] => {
  const text = read(`docs/${page}`);
  return words.filter((word) => !text.includes(`\`${word}\``));
};

describe('docs/annotations.md', () => {
  test('has every annotation', () => {
    const names = [...Object.values(DEFAULT_ANNOTATIONS), ...Object.values(FIXED_ANNOTATIONS)];
    expect(missingIn('annotations.md', names)).toEqual([]);
  });
});

describe('conditions', () => {
  const path = 'reloader/report/status/reasons.ts';

  test('those that are there while true are explained', () => {
    const types = listIn(path, 'SPECIAL');
    expect(types.length).toBeGreaterThan(5);
    expect(missingIn('reloaderconfig.md', types)).toEqual([]);
  });

  test('troubleshooting knows every reason of Degraded', () => {
    const reasons = listIn(path, 'DEGRADING');
    expect(reasons.length).toBeGreaterThan(8);
    expect(missingIn('troubleshooting.md', reasons)).toEqual([]);
  });
});

test('troubleshooting knows every reason of an Event', () => {
  const files = [
    'report/events.ts',
    'want/opt-in.ts',
    'want/kind-filter.ts',
    'want/policy-reader.ts',
    'want/unknown-annotations.ts',
    'engine/notes.ts',
  ];
  const source = files.map((file) => read(`${SOURCES}/reloader/${file}`)).join('\n');
  const reasons = [...source.matchAll(/(?:'(?:Normal|Warning)',\s*|reason: )'([A-Z]\w+)'/g)].map(
    ([, reason = '']) => reason,
  );
  expect(new Set(reasons).size).toBeGreaterThan(7);
  expect(missingIn('troubleshooting.md', [...new Set(reasons)])).toEqual([]);
});
