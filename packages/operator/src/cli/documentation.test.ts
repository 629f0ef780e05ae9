import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { run } from './command-io.test.support.ts';
import { generatedCliDocuments } from './generate.ts';

test('the documentation is generated from the commands: run "npm run generate"', () => {
  for (const [path, content] of generatedCliDocuments()) {
    expect(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')).toBe(content);
  }
});

test('every command that --help names is in it', async () => {
  const { out } = await run(['--help']);
  const names = [...out.matchAll(/^ {2}([a-z][a-z-]*)/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== undefined);
  const text = generatedCliDocuments().get('docs/cli.md') ?? '';
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) expect(text).toContain(`### reloader ${name}\n`);
});
