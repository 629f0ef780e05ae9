import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { helpText } from '../settings/help.ts';
import { parseSettings } from '../settings/parse.ts';
import { runProgram } from './program.ts';

async function reloader(...argv: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const operated: (readonly string[])[] = [];
  const code = await runProgram(argv, {
    operate: async (flags) => {
      operated.push(flags);
      parseSettings(flags, {});
      return 7;
    },
    print: (text) => out.push(text),
    complain: (text) => err.push(text),
  });
  return { code, out: out.join(''), err: err.join(''), operated };
}

describe('running the operator', () => {
  test.each([
    [[], []],
    [['run'], []],
    [['--auto-reload-all'], ['--auto-reload-all']],
    [
      ['run', '--settle', '0s'],
      ['--settle', '0s'],
    ],
    [
      ['--namespaces=a', '--reload-on-create', 'true', '--is-Argo-Rollouts=true'],
      ['--namespaces=a', '--reload-on-create', 'true', '--is-Argo-Rollouts=true'],
    ],
    [
      ['--namespaces', 'version'],
      ['--namespaces', 'version'],
    ],
    [['-leader-elect'], ['-leader-elect']],
  ])('%j', async (argv, flags) => {
    expect(await reloader(...argv)).toEqual({ code: 7, out: '', err: '', operated: [flags] });
  });

  test('a failure of ours is not hidden', async () => {
    const attempt = runProgram([], {
      operate: () => Promise.reject(new TypeError('broken')),
      print: () => undefined,
      complain: () => undefined,
    });
    await expect(attempt).rejects.toThrow('broken');
  });
});

describe('without a cluster', () => {
  test.each([[['--help']], [['-h']], [['run', '--help']], [['--settle=1s', '--help']]])(
    '%j helps',
    async (argv) => {
      expect(await reloader(...argv)).toEqual({ code: 0, out: helpText(), err: '', operated: [] });
    },
  );

  test.each(['version', '--version'])('%s', async (word) => {
    const file = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    const { code, out } = await reloader(word);
    expect(code).toBe(0);
    expect(out).toBe(`reloader ${version} (Node ${process.versions.node})\n`);
  });

  test('crds prints definitions that YAML readers take', async () => {
    const { code, out } = await reloader('crds');
    const documents = parseAllDocuments(out).map(
      (document) => document.toJS() as { metadata: { name: string } },
    );
    expect(code).toBe(0);
    expect(documents.map(({ metadata }) => metadata.name)).toContain('reloaderconfigs.reloader.stakater.com');
  });
});

describe('wrong usage ends with 2, on standard error', () => {
  test.each([
    [['--setle=1s'], 'Unknown flag --setle: did you mean --settle?'],
    [['run', '--settle=abc'], '--settle=abc: must be a duration'],
    [['verson'], 'Unknown command "verson": did you mean version?'],
    [['stop'], 'Unknown command "stop": there are run, version, crds'],
    [['run', 'fast'], 'Unexpected argument "fast"'],
    [['version', '--loud'], "unknown option '--loud'"],
  ])('%j', async (argv, message) => {
    const { code, out, err } = await reloader(...argv);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(`reloader: ${message}`);
    expect(err).toContain('reloader --help');
  });
});
