import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CommandError, outputOf, runCommand } from './command.ts';
import { poll } from './poll.ts';
import { isRunning } from './testing.ts';

describe('a command', () => {
  test('gives its status, output and errors', async () => {
    const result = await runCommand('/bin/sh', ['-c', 'echo out; echo err >&2; exit 3']);
    expect(result).toEqual({ status: 3, stdout: 'out\n', stderr: 'err\n' });
  });

  test.each([
    ['text', 'a: b', 'a: b'],
    ['an object as JSON', { a: 'b' }, '{"a":"b"}'],
  ])('reads %s from its input', async (_, input, expected) => {
    expect(await outputOf('cat', [], { input })).toBe(expected);
  });

  test('that does not read its input still gives its status', async () => {
    const result = await runCommand('/bin/sh', ['-c', 'exec 0<&-; sleep 0.1; exit 4'], {
      input: 'x'.repeat(1 << 20),
    });
    expect(result.status).toBe(4);
  });

  test('is as nice as it is told, or as its parent if that is nicer', async () => {
    const niceness = async (wanted: number): Promise<number> =>
      // It is set once the process runs, so the process waits a moment.
      Number(await outputOf('/bin/sh', ['-c', 'sleep 0.2; nice'], { niceness: wanted }));
    const own = getPriority();
    expect(await niceness(Math.min(19, own + 1))).toBe(Math.min(19, own + 1));
    expect(await niceness(own - 1)).toBe(own);
  });

  test('that must succeed fails with what was run and what it wrote', async () => {
    const error = await outputOf('/bin/sh', ['-c', 'echo no such thing >&2; exit 1']).catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(CommandError);
    expect(error).toMatchObject({
      message: '`sh -c echo no such thing >&2; exit 1` ended with status 1: no such thing',
      status: 1,
      stderr: 'no such thing\n',
    });
  });

  test('ends when it is aborted, with its children', async () => {
    const abort = new AbortController();
    let pid = 0;
    const running = runCommand('/bin/sh', ['-c', 'sleep 600 & echo $! >&2; wait'], {
      signal: abort.signal,
      onErrorText: (text) => {
        pid = Number(text);
        abort.abort(new Error('enough'));
      },
    });
    await expect(running).rejects.toThrow('enough');
    await poll(() => !isRunning(pid), { what: `process ${pid} to end`, timeout: 10_000 });
  });

  test('is not started once aborted', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    const file = join(mkdtempSync(join(tmpdir(), 'command-')), 'started');
    await expect(runCommand('touch', [file], { signal })).rejects.toThrow('too late');
    expect(existsSync(file)).toBe(false);
    rmSync(dirname(file), { recursive: true });
  });
});
