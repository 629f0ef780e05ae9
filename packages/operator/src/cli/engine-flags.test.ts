import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { DOCKERFILE_FLAGS, imageFlags, OLDER_FLAGS } from '../../../../test/operator-start.ts';
import { engineFlags } from './engine-flags.ts';

const V8_11 = '11.3.244.8-node.33';
const V8_12 = '12.4.254.21-node.57';
const V8_13 = '13.6.233.17-node.48';

describe('flags that the command sets at run time', () => {
  test('stop the growth of the young generation, whose limit only a start can set', () => {
    const [steps, growth] = engineFlags(V8_11, []);
    expect([steps, growth]).toEqual(['--heap-growing-percent=15', '--semi-space-growth-factor=1']);
  });

  test('hold back the compiler of an older V8', () => {
    expect(engineFlags(V8_11, []).slice(2)).toEqual(OLDER_FLAGS.slice(1));
    expect(engineFlags(V8_11, ['--interrupt-budget=70000']).slice(2)).toEqual([]);
  });

  test.each([V8_12, V8_13])('hold back both compilers of V8 %s', (version) => {
    expect(engineFlags(version, []).slice(2)).toEqual(DOCKERFILE_FLAGS.slice(1));
  });

  test('are known to the V8 of this Node', () => {
    const program = `for (const flag of process.argv.slice(1)) require('node:v8').setFlagsFromString(flag)`;
    const args = ['-e', program, '--', ...engineFlags(process.versions.v8, [])];
    const { stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([stderr, status]).toEqual(['', 0]);
  });

  test('leave out what the image gives on the command line', () => {
    expect(engineFlags(V8_13, DOCKERFILE_FLAGS)).toEqual(['--heap-growing-percent=15']);
  });

  test('leave alone what a user has set otherwise', () => {
    const given = ['--max_semi_space_size=32', '--maglev'];
    expect(engineFlags(V8_13, given)).toEqual(['--heap-growing-percent=15', ...DOCKERFILE_FLAGS.slice(2)]);
  });
});

describe('the young generation of this Node', () => {
  const program = `
    const { getHeapSpaceStatistics, setFlagsFromString } = require('node:v8');
    for (const flag of process.argv.slice(1)) setFlagsFromString(flag);
    const kept = [];
    for (let i = 0; i < 300_000; i++) kept[i % 50_000] = { i, text: 'x' + i };
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);`;
  const bytes = (atStart: readonly string[], atRunTime: readonly string[]): number =>
    Number(
      execFileSync(process.execPath, [...atStart, '-e', program, '--', ...atRunTime], { encoding: 'utf8' }),
    );

  test('stays as small by the flags of run time as by those of the image', () => {
    const image = bytes(imageFlags(), []);
    expect(bytes([], [])).toBeGreaterThan(2 * image);
    expect(bytes([], engineFlags(process.versions.v8, []))).toBeLessThanOrEqual(image);
  });
});
