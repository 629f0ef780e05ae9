/**
 * The image without a container engine: its tree at /app, Debian's libraries instead of distroless', and nothing else.
 * As user 65532, with everything read-only except a private /tmp. Needs bubblewrap.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { IMAGE_ENVIRONMENT, imageFlags } from '../operator-start.ts';

export interface SandboxOptions {
  readonly tree: string;
  readonly args: readonly string[];
  /** Arguments of Node and the script; those of the image unless given. */
  readonly script?: readonly string[];
  /** Files to mount, by their path inside. */
  readonly files?: Readonly<Record<string, string>>;
  /** Uses the host's network, for a control plane on loopback. */
  readonly network?: boolean;
}

const USER = '65532';

export function inSandbox({ tree, args, script, files = {}, network = false }: SandboxOptions): ChildProcess {
  const visible = Object.entries(files).flatMap(([inside, outside]) => ['--ro-bind', outside, inside]);
  const node = process.execPath;
  const command = script ?? [...imageFlags(), '/app/packages/operator/dist/cli/main.js'];
  return spawn(
    'bwrap',
    [
      ...['--info-fd', '3'],
      ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
      ...(network ? [] : ['--unshare-net']),
      ...[
        '--uid',
        USER,
        '--gid',
        USER,
        '--die-with-parent',
        '--new-session',
        '--as-pid-1',
        '--cap-drop',
        'ALL',
      ],
      ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
      ...['--ro-bind', dirname(node), '/nodejs/bin', '--ro-bind', tree, '/app'],
      ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', ...visible, '--remount-ro', '/'],
      ...['--chdir', '/app', '--clearenv'],
      ...Object.entries(IMAGE_ENVIRONMENT).flatMap(([name, value]) => ['--setenv', name, value]),
      ...['--', `/nodejs/bin/node`, ...command, ...args],
    ],
    { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  );
}

/** The sandbox forwards no signals: this is the id of the process inside, as seen from outside. */
export async function processIn(child: ChildProcess): Promise<number> {
  let text = '';
  for await (const chunk of child.stdio[3] as Readable) text += chunk;
  return (JSON.parse(text) as { 'child-pid': number })['child-pid'];
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
