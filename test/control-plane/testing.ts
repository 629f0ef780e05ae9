/** For the tests of this directory: processes of which some are killed and others must not survive that. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Whether a process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

/** Runs TypeScript, with imports relative to this directory, in a separate process. */
export function runScript(source: string, env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const absolute = source.replaceAll(/from '\.\//g, `from '${here}`);
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', absolute], {
    cwd: here,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** The first line of a process's output; throws if it exits before. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`the script ended with status ${code} without a line`)));
  });
}

export function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
  });
}
