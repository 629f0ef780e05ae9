import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Component, ComponentEndedError, type ComponentOptions } from './component.ts';
import { poll } from './poll.ts';
import { freePorts } from './ports.ts';
import { isRunning } from './testing.ts';

let directory: string;
let options: ComponentOptions;
let component: Component | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'component-'));
  const [port] = await freePorts(1);
  const server = `require('node:http').createServer((_, answer) => {
    answer.statusCode = ++asked < 3 ? 503 : 200;
    console.log(answer.statusCode);
    answer.end();
  }).listen(${port}, '127.0.0.1')`;
  options = {
    name: 'etcd',
    binary: process.execPath,
    args: ['-e', `let asked = 0; console.log('starting'); ${server}`],
    logFile: join(directory, 'log'),
    health: { url: `http://127.0.0.1:${port}/healthz`, authority: 'none' },
    authority: '',
  };
});
afterEach(async () => {
  await component?.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

function start(changes: Partial<ComponentOptions> = {}): Component {
  component = new Component({ ...options, ...changes });
  component.start();
  return component;
}

describe('a component', () => {
  test('is healthy once its health check answers 200', async () => {
    await start().waitUntilHealthy();
    expect(readFileSync(options.logFile, 'utf8')).toBe('starting\n503\n503\n200\n');
  });

  test('that ends before it is healthy is an error with the end of its log', async () => {
    const failing = start({ binary: '/bin/sh', args: ['-c', 'echo no such flag; exit 3'] });
    const error = await failing.waitUntilHealthy().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ComponentEndedError);
    expect(error).toMatchObject({ addressInUse: false });
    expect(String(error)).toContain(
      'etcd ended before it was healthy (status 3); the end of its log:\nno such flag',
    );
  });

  test('that lost its port to another process says so', async () => {
    const failing = start({ binary: '/bin/sh', args: ['-c', 'echo bind: address already in use; exit 1'] });
    await expect(failing.waitUntilHealthy()).rejects.toMatchObject({ addressInUse: true });
  });

  test('is gone when a kill resolves, and can be started again', async () => {
    const running = start();
    await running.waitUntilHealthy();
    const { pid = 0 } = running;
    await running.kill('SIGKILL');
    expect(isRunning(pid)).toBe(false);
    expect(running.pid).toBeUndefined();
    running.start();
    await running.waitUntilHealthy();
    expect(running.pid).not.toBe(pid);
  });

  test('that ends by itself after it was healthy is started again, one that was killed is not', async () => {
    const running = start();
    await running.waitUntilHealthy();
    const { pid = 0 } = running;
    process.kill(pid, 'SIGKILL');
    const isBack = () => running.pid !== undefined && running.pid !== pid;
    await poll(isBack, { what: 'it to be back', timeout: 5_000, every: 10 });
    await running.waitUntilHealthy();
    process.kill(running.pid ?? 0, 'SIGKILL');
    await poll(() => running.pid === undefined, { what: 'it to be gone', timeout: 5_000, every: 1 });
    await running.kill('SIGKILL');
    await delay(300);
    expect(running.pid).toBeUndefined();
  });

  test('survives a signal that only stops it', async () => {
    const running = start();
    await running.waitUntilHealthy();
    await running.kill('SIGSTOP');
    expect(running.pid).toBeDefined();
    await running.kill('SIGCONT');
    await running.waitUntilHealthy();
  });

  test('is not started twice', () => {
    const running = start();
    expect(() => running.start()).toThrow('etcd already runs: kill it first');
  });

  test('is no longer waited for once that is aborted', async () => {
    const waiting = start({ binary: 'sleep', args: ['600'] }).waitUntilHealthy(AbortSignal.timeout(50));
    await expect(waiting).rejects.toThrow(/timeout|aborted/);
  });
});
