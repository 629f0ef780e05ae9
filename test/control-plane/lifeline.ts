/**
 * Child processes that cannot outlive this one.
 *
 * In: a program and its arguments. Out: its ChildProcess (the program itself: same process id, signals and
 * exit status).
 *
 * Each child holds one end of a pipe, the lifeline, whose other end only this process has. When this process
 * ends in any way, SIGKILL included, the kernel closes that end; a shell waiting on it in the child's process
 * group then kills the whole group. The shell is there before the program starts, so there is no moment at
 * which the program could be left behind.
 *
 * Does not protect against a SIGKILL of that shell itself.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';

/** `0` addresses the process group, whose only members are this shell, the program and its descendants. */
const killGroupAtEnd = '(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec "$@" 3<&-';

/** Twice, because a process that is being killed may still create a file after the first removal. */
const removeAtEnd = 'read -r _ <&3; sleep 0.2; rm -rf -- "$1"; sleep 1; rm -rf -- "$1"';

export interface GuardedOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Standard output and error. */
  readonly output: 'pipe' | 'ignore' | number;
  /** Standard input, empty by default. */
  readonly input?: 'pipe' | 'ignore';
}

export function spawnGuarded(file: string, args: readonly string[], options: GuardedOptions): ChildProcess {
  const { output, input = 'ignore', ...rest } = options;
  const child = spawn('/bin/sh', ['-c', killGroupAtEnd, 'guard', file, ...args], {
    ...rest,
    // A separate process group, which also keeps a Ctrl-C in the terminal away from it.
    detached: true,
    stdio: [input, output, output, 'pipe'],
  });
  child.once('exit', () => releaseLifeline(child));
  return child;
}

/** Removes `directory` when this process ends, unless the returned function was called before. */
export function removeDirectoryAtEnd(directory: string): () => Promise<void> {
  const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'pipe'];
  const child = spawn('/bin/sh', ['-c', removeAtEnd, 'guard', directory], { detached: true, stdio });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  unrefGuarded(child);
  return async () => {
    child.ref();
    child.kill('SIGKILL');
    await ended;
    releaseLifeline(child);
  };
}

/** Lets this process end although the child still runs; the lifeline then kills the child too. */
export function unrefGuarded(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) {
    if (stream !== null && stream !== undefined && 'unref' in stream && typeof stream.unref === 'function') {
      stream.unref();
    }
  }
}

function releaseLifeline(child: ChildProcess): void {
  child.stdio[3]?.destroy();
}
