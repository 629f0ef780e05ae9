/** Every TypeScript block of the packages' READMEs is a program that runs unchanged. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PAGES = ['packages/runtime/README.md', 'packages/minicluster/README.md'];

let directory: string;
beforeAll(async () => {
  // Inside the repository, so that imports of our packages are resolved.
  directory = await mkdtemp(`${root}/test/docs/blocks-`);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe.each(PAGES)('%s', (page) => {
  const blocks = [...readFileSync(`${root}/${page}`, 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, code = '']) => code,
  );

  test('has examples', () => expect(blocks.length).toBeGreaterThan(0));

  test.each(blocks.map((code, index) => [index + 1, code] as const))(
    'example %i runs',
    async (number, code) => {
      const file = `${directory}/${page.split('/')[1]}-${number}.ts`;
      await writeFile(file, code);
      await import(file);
    },
  );
});
