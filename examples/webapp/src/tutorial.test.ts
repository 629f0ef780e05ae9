import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const tutorial = read('docs/tutorial.md');

/** Fenced blocks: the language, the rest of the info line, and the content. */
const blocks = [...tutorial.matchAll(/^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm)].map(
  ([, language, path, text]) => ({
    language: language ?? '',
    path: path ?? '',
    text: text ?? '',
  }),
);
const code = blocks.filter(({ language }) => language !== 'sh');

/** Without layout, which is the formatter's: it indents a snippet less than the code around it. */
function bare(text: string): string {
  return text.replace(/\s+/g, '').replace(/,(?=[)\]}]|$)/g, '');
}

test('the tutorial shows code', () => {
  expect(code.length).toBeGreaterThan(15);
});

test.each(code.map(({ path, text }) => [path, text.trim().split('\n')[0], text]))(
  'in %s the code beginning with "%s" stands as in the tutorial',
  (path, _, text) => {
    expect(existsSync(new URL(path, root)), `${path} exists`).toBe(true);
    expect(bare(read(path)).includes(bare(text)), `the snippet is a part of ${path}`).toBe(true);
  },
);

test('the commands of the tutorial name files and scripts that exist', () => {
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text)
    .join('');
  for (const [path] of commands.matchAll(/examples\/[\w./-]+/g))
    expect(existsSync(new URL(path, root)), path).toBe(true);
  const { scripts } = JSON.parse(read('package.json'));
  for (const [, script] of tutorial.matchAll(/npm run ([\w:]+)/g))
    expect(scripts).toHaveProperty([script ?? '']);
});

test('the links of the tutorial lead somewhere', () => {
  const links = [...tutorial.matchAll(/\]\(([^)#]+)\)/g)].map(([, link]) => link ?? '');
  expect(links.length).toBeGreaterThan(3);
  for (const link of links) expect(existsSync(new URL(link, new URL('docs/', root))), link).toBe(true);
});

test('every name of the runtime that the tutorial mentions in its text exists', async () => {
  const runtime = [
    ...Object.keys(await import('@reloader/runtime')),
    ...Object.keys(await import('@reloader/runtime/kind')),
    ...Object.keys(await import('@reloader/runtime/testing')),
  ];
  const files = ['crd.yaml', 'src/webapp.ts', 'src/children.ts', 'src/operator.ts', 'src/main.ts'];
  const example = files.map((name) => read(`examples/webapp/${name}`)).join('\n');
  const prose = tutorial.replace(/^```[\s\S]*?^```$/gm, '');
  const names = [...prose.matchAll(/`([a-z]+[A-Z]\w+)`/g)].map(([, name]) => name ?? '');
  for (const name of new Set(names))
    expect(runtime.includes(name) || example.includes(name), name).toBe(true);
});
