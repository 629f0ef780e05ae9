/** The example audit policy of the API server stores no content of a source, and the page shows the file. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf, read } from './blocks.ts';

interface Rule {
  readonly level: string;
  readonly resources?: readonly { readonly group: string; readonly resources: readonly string[] }[];
}

const FILE = 'config/audit/policy.yaml';

test('the page shows the file', () => {
  const [block] = blocksOf(read('docs/audit.md')).filter(({ info }) => info === FILE);
  expect(block?.text).toBe(read(FILE));
});

test('of Secrets and ConfigMaps only who, when and which is kept', () => {
  const { rules } = parse(read(FILE)) as { rules: readonly Rule[] };
  const about = (name: string) =>
    rules.filter(({ resources = [] }) => resources.some((each) => each.resources.includes(name)));
  for (const name of ['secrets', 'configmaps']) {
    expect(about(name).map(({ level }) => level)).toEqual(['Metadata']);
  }
  expect(about('reloaderconfigs').map(({ level }) => level)).toEqual(['Request']);
  expect(rules.at(-1)).toEqual({ level: 'None' });
});
