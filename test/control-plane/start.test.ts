import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ComponentEndedError } from './component.ts';
import { poll } from './poll.ts';
import { startControlPlane } from './start.ts';
import { isRunning } from './testing.ts';

let directory: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'start-'));
  vi.stubEnv('TMPDIR', join(directory, 'tmp'));
  mkdirSync(join(directory, 'tmp'));
  env = { PATH: '/usr/bin:/bin', KUBEBUILDER_ASSETS: directory };
  program('kubectl', 'exit 0');
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** A shell script that replaces a component; it writes its process id to a file. */
function program(name: string, script: string): void {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\necho $$ >> '${path}.pids'\n${script}\n`);
  chmodSync(path, 0o755);
}

const pidsOf = (name: string) =>
  readFileSync(join(directory, `${name}.pids`), 'utf8')
    .trim()
    .split('\n')
    .map(Number);

test('a start that loses a port to another process is tried again with other ports, three times', async () => {
  program('etcd', `echo "$@" >> '${directory}/etcd.args'; echo bind: address already in use; exit 1`);
  program('kube-apiserver', 'exec sleep 600');
  await expect(startControlPlane({ env })).rejects.toBeInstanceOf(ComponentEndedError);
  const attempts = readFileSync(join(directory, 'etcd.args'), 'utf8').trim().split('\n');
  expect(new Set(attempts.map((args) => /listen-client-urls=(\S+)/.exec(args)?.[1])).size).toBe(3);
});

test('a start that fails says why and leaves no process and no file behind', async () => {
  program('etcd', 'exec sleep 600');
  program(
    'kube-apiserver',
    `until [ -s '${directory}/etcd.pids' ]; do sleep 0.02; done; echo unknown flag: --example; exit 1`,
  );
  await expect(startControlPlane({ env })).rejects.toThrow(
    /kube-apiserver ended before it was healthy \(status 1\).*\nunknown flag: --example/,
  );
  expect(pidsOf('kube-apiserver')).toHaveLength(1);
  expect([...pidsOf('etcd'), ...pidsOf('kube-apiserver')].filter(isRunning)).toEqual([]);
  expect(readdirSync(join(directory, 'tmp'))).toEqual([]);
});

test('a start that is aborted leaves no process and no file behind', async () => {
  program('etcd', 'exec sleep 600');
  program('kube-apiserver', 'exec sleep 600');
  const abort = new AbortController();
  const starting = startControlPlane({ env, signal: abort.signal });
  const running = () =>
    ['etcd', 'kube-apiserver'].every((name) => existsSync(join(directory, `${name}.pids`)));
  await poll(running, { what: 'both to run', timeout: 10_000 });
  abort.abort(new Error('enough'));
  await expect(starting).rejects.toThrow('enough');
  expect([...pidsOf('etcd'), ...pidsOf('kube-apiserver')].filter(isRunning)).toEqual([]);
  expect(readdirSync(join(directory, 'tmp'))).toEqual([]);
});
