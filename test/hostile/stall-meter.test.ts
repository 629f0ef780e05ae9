/** Tests of the meter: it reports a loop that is blocked by its own work, and not one that the machine did not run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { LONGEST_STALL_MS } from './harness.ts';

const METER = fileURLToPath(new URL('stall-meter.mjs', import.meta.url));
const STOOD_MS = 150;

/** A program that prints "begun" when the loop runs, does the work, and ends after the meter had time to report. */
const program = (work: string): string => `
  const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  setTimeout(() => {
    process.stdout.write('begun\\n');
    ${work}
    setTimeout(() => process.exit(0), 200);
  }, 300);`;

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'meter-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function start(name: string, work: string): { child: ChildProcess; stalls: () => Promise<number[]> } {
  const file = join(directory, name);
  const child = spawn(process.execPath, ['--import', METER, '--eval', program(work)], {
    env: { PATH: process.env.PATH, STALL_METER_FILE: file },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const begun = once(child.stdout as NonNullable<typeof child.stdout>, 'data').then(() => Date.now());
  return {
    child,
    // Loading the program is a stall of its own.
    async stalls() {
      const since = await begun;
      if (child.exitCode === null) await once(child, 'exit');
      const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
      return lines
        .map((line) => line.split(' ').map(Number))
        .flatMap(([at = 0, ms = 0]) => (at >= since ? [ms] : []));
    },
  };
}

describe('Stall meter', () => {
  test('catches a loop that is busy for 150 ms', async () => {
    const { stalls } = start('busy', `const end = cpu() + ${STOOD_MS}; while (cpu() < end);`);
    expect(Math.max(...(await stalls()))).toBeGreaterThan(LONGEST_STALL_MS);
  });

  test('catches many small pieces of work that leave the loop no turn', async () => {
    const pieces = `(async () => {
      for (let piece = 0; piece < 30; piece += 1) {
        const end = cpu() + ${STOOD_MS / 30};
        while (cpu() < end);
        await undefined;
      }
    })();`;
    const { stalls } = start('pieces', pieces);
    expect(Math.max(...(await stalls()))).toBeGreaterThan(LONGEST_STALL_MS);
  });

  test('counts no time in which the process was not run', async () => {
    const { child, stalls } = start('stopped', '');
    await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
    child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 2 * STOOD_MS));
    child.kill('SIGCONT');
    expect(Math.max(0, ...(await stalls()))).toBeLessThan(LONGEST_STALL_MS);
  });
});
