import { VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, test } from 'vitest';
import { parseSource, parseWorkload } from './objects.ts';
import { programName } from './process.ts';
import { withProgress } from './progress.ts';
import { ageText, createStyle, table } from './style.ts';

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
    expect(parseWorkload(words)).toEqual({ kind, name: 'web' });
  });

  test.each([
    [['secret/a'], 'Secret'],
    [['cm', 'a'], 'ConfigMap'],
    [['spc/a'], 'SecretProviderClass'],
  ])('%j is a %s', (words, kind) => {
    expect(parseSource(words)).toEqual({ kind, name: 'a' });
  });
});

describe('what people see', () => {
  test('colours are there only where they are asked for', () => {
    expect(createStyle(false).bad('x')).toBe('x');
    expect(createStyle(true).bad('x')).toBe('\u001b[31mx\u001b[0m');
  });

  test('a table is no wider than the terminal', () => {
    const text = table(['A', 'B'], [['one', 'a long text that goes on']], createStyle(false), 12);
    expect(text).toBe('A     B\none   a lon…\n');
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
    const surroundings = { clock, showsProgress, complain: (text: string) => void said.push(text) };
    const work = new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
    const done = withProgress('Reading', surroundings, () => work);
    await clock.advance(ms);
    await done;
    return said.join('');
  }

  test('is shown after a second, and taken away again', async () => {
    expect(await shown(1_500, true)).toBe('Reading …\r\u001b[K');
  });

  test('is not shown for what is quick, nor where nobody sees it', async () => {
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
