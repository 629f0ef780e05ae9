/** Every block of the documentation is run by a test, or says why not. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compileTemplate } from '../../packages/operator/src/template/index.ts';
import { blocksOf, pages, printsAs, ROOT, read } from './blocks.ts';

describe('reading a page', () => {
  const page = [
    'Text',
    '<!-- not run: needs a kubelet -->',
    '',
    '```sh',
    'kubectl logs web',
    '```',
    '```sh',
    'kubectl get pods',
    '```',
    'which prints',
    '```text',
    'NAME   READY',
    'web-…  1/1',
    '```',
    '1. item',
    '   ```yaml web.yaml',
    '   a: 1',
    '   ```',
  ].join('\n');

  test('finds blocks with language, file, reason and output', () => {
    expect(blocksOf(page)).toEqual([
      { line: 4, language: 'sh', info: '', text: 'kubectl logs web\n', notRun: 'needs a kubelet' },
      {
        line: 7,
        language: 'sh',
        info: '',
        text: 'kubectl get pods\n',
        prints: 'NAME   READY\nweb-…  1/1\n',
      },
      { line: 11, language: 'text', info: '', text: 'NAME   READY\nweb-…  1/1\n' },
      { line: 16, language: 'yaml', info: 'web.yaml', text: 'a: 1\n' },
    ]);
  });

  test('refuses a block without an end', () => {
    expect(() => blocksOf('```sh\nls\n')).toThrow('line 1 has no end');
  });

  test.each([
    ['NAME READY\nweb-1   1/1\n', true],
    ['NAME READY\nweb-1   0/1\n', false],
    ['NAME READY\nweb-1 1/1\nmore\n', false],
    ['web-1 1/1', false],
  ])('%j is what the page shows: %s', (output, expected) => {
    expect(printsAs(output, 'NAME   READY\nweb-…  1/1\n')).toBe(expected);
  });
});

/** Ignores layout, which the formatter changes: a snippet is indented less than the code around it. */
const bare = (text: string): string => text.replaceAll(/\s+/g, '').replaceAll(/,(?=[)\]}]|$)/g, '');

/** yaml.test.ts runs YAML, commands.cluster.test.ts runs commands; the other languages must parse. */
const RUN = ['yaml', 'sh', 'text', 'json', 'gotemplate'];

describe.each(pages())('%s', (page) => {
  test('every block is run, quoted from a file, or says why not', () => {
    for (const { line, language, info, text, notRun, runBy } of blocksOf(read(page))) {
      const quoted = info !== '' && existsSync(`${ROOT}/${info}`);
      const known = RUN.includes(language) || quoted || notRun !== undefined;
      expect(
        known,
        `${page}:${line} is "${language}": run it, or write <!-- not run: why --> before it`,
      ).toBe(true);
      if (runBy !== undefined)
        expect(existsSync(`${ROOT}/${runBy}`), `${page}:${line}: ${runBy} exists`).toBe(true);
      if (quoted && language === 'ts')
        expect(bare(read(info)), `${page}:${line} is a part of ${info}`).toContain(bare(text));
      if (language === 'json' && !notRun) JSON.parse(text);
      if (language === 'gotemplate' && !notRun) compileTemplate(text, { name: `${page}:${line}` });
    }
  });
});
