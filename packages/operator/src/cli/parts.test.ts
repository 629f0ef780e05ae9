import { VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import { ageText, counted, createStyle, fitted, table } from '../terminal/style.ts';
import { parseSources, parseWorkloads } from './objects.ts';
import { programName } from './process.ts';
import { withProgress } from './progress.ts';

describe('objects as people write them', () => {
  test.each([
    [['deployment/web'], 'Deployment'],
    [['deploy/web'], 'Deployment'],
    [['Deployments.apps', 'web'], 'Deployment'],
    [['sts/web'], 'StatefulSet'],
    [['ds', 'web'], 'DaemonSet'],
    [['cj/web'], 'CronJob'],
    [['job/web'], 'Job'],
    [['rollout/web'], 'Rollout'],
    [['dc/web'], 'DeploymentConfig'],
  ])('%j is a %s', (words, kind) => {
    expect(parseWorkloads(words)).toEqual([{ kind, name: 'web' }]);
  });

  test.each([
    [['secret/a'], 'Secret'],
    [['cm', 'a'], 'ConfigMap'],
    [['spc/a'], 'SecretProviderClass'],
  ])('%j is a %s', (words, kind) => {
    expect(parseSources(words)).toEqual([{ kind, name: 'a' }]);
  });
});

describe('several objects', () => {
  test.each([[['deployment/web', 'sts/db']], [['deploy/web', 'sts/db', 'deployment/web']]])('%j', (words) => {
    expect(parseWorkloads(words)).toEqual([
      { kind: 'Deployment', name: 'web' },
      { kind: 'StatefulSet', name: 'db' },
    ]);
  });

  test('of one kind', () => {
    expect(parseSources(['secret', 'a', 'b'])).toEqual([
      { kind: 'Secret', name: 'a' },
      { kind: 'Secret', name: 'b' },
    ]);
  });
});

describe('output for people', () => {
  test('colours are there only where they are asked for', () => {
    expect(createStyle(false).bad('x')).toBe('x');
    expect(createStyle(true).bad('x')).toBe('\u001b[31mx\u001b[0m');
  });

  test('a table is no wider than the terminal: the last column goes on below', () => {
    const rows = [['one', 'a long text that goes on']];
    expect(table(['A', 'B'], rows, createStyle(false), 24)).toBe(
      'A     B\none   a long text that\n      goes on\n',
    );
    expect(table(['A', 'B'], rows, createStyle(false), 12)).toBe(
      'A\n    B\none\n    a long\n    text\n    that\n    goes on\n',
    );
    expect(table(['A', 'B'], [['one', 'unbreakable']], createStyle(false), 12)).toBe(
      'A\n    B\none\n    unbreak…\n',
    );
    // Wrapped between words, never within one.
    expect(table(['A', 'B'], [['one', 'see name-of-20-letters']], createStyle(false), 22)).toBe(
      'A\n    B\none\n    see\n    name-of-20-letters\n',
    );
    expect(table(['A', 'B'], [['one', 'fits']], createStyle(false), 12)).toBe('A     B\none   fits\n');
    expect(table(['A', 'B'], rows, createStyle(false))).toBe('A     B\none   a long text that goes on\n');
  });

  test('a colour takes no room', () => {
    const rows = [
      [{ text: 'up to date', tone: 'good' as const }, 'x'],
      ['failing', 'y'],
    ];
    expect(table(['STATE', 'B'], rows, createStyle(true))).toBe(
      '\u001b[1mSTATE        B\u001b[0m\n\u001b[32mup to date\u001b[0m   x\nfailing      y\n',
    );
  });

  test('long lines go on below their beginning, colours included', () => {
    expect(fitted('  one two three four\nshort', 12)).toBe('  one two\n    three\n    four\nshort');
    expect(fitted('\u001b[31mone two\u001b[0m', 7)).toBe('\u001b[31mone two\u001b[0m');
    expect(fitted('\u001b[2m  one two three\u001b[0m', 10)).toBe(
      '\u001b[2m  one\u001b[0m\n\u001b[2m    two\u001b[0m\n\u001b[2m    three\u001b[0m',
    );
    expect(fitted('one two three', undefined)).toBe('one two three');
    // A colour that ends within a line does not continue on the next one.
    expect(fitted('\u001b[1mone\u001b[0m: two three', 9)).toBe('\u001b[1mone\u001b[0m:\n  two\n  three');
    expect(fitted('one \u001b[31mtwo three\u001b[0m', 9)).toBe(
      'one \u001b[31mtwo\u001b[0m\n\u001b[31m  three\u001b[0m',
    );
  });

  test.each([
    [0, '0 reloads'],
    [1, '1 reload'],
    [2, '2 reloads'],
  ])('%i are %s', (count, text) => {
    expect(counted(count, 'reload')).toBe(text);
  });

  test.each([
    [0, '0s'],
    [119_000, '119s'],
    [120_000, '2m'],
    [7_200_000, '2h'],
    [172_800_000, '2d'],
    [-5, '0s'],
  ])('%d ms are %s', (ms, text) => {
    expect(ageText(ms)).toBe(text);
  });
});

describe('progress', () => {
  async function shown(ms: number, showsProgress: boolean): Promise<string> {
    const clock = new VirtualClock();
    const said: string[] = [];
    const io = { clock, showsProgress, complain: (text: string) => void said.push(text) };
    const work = new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
    const done = withProgress('Reading', io, () => work);
    await clock.advance(ms);
    await done;
    return said.join('');
  }

  test('is shown after a second, and removed again', async () => {
    expect(await shown(1_500, true)).toBe('Reading …\r\u001b[K');
  });

  test('is not shown for quick work, nor without a terminal', async () => {
    expect(await shown(900, true)).toBe('');
    expect(await shown(5_000, false)).toBe('');
  });
});

test.each([
  ['/usr/local/bin/kubectl-reloader', 'kubectl reloader'],
  ['/usr/local/bin/reloader', 'reloader'],
  [undefined, 'reloader'],
])('called as %s it is %s', (path, name) => {
  expect(programName(path)).toBe(name);
});
