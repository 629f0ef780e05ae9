/** Runs a measured program in its own process and reads its results and its memory. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { IMAGE_ENVIRONMENT, imageFlags } from '../test/operator-start.ts';

export interface SubjectOptions {
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Runs after the program has printed its first line and before its memory is read. */
  readonly whileRunning?: (firstLine: Record<string, unknown>) => Promise<void>;
}

export interface SubjectResult {
  /** The first line that it printed: a JSON object. */
  readonly printed: Record<string, unknown>;
  readonly residentMB: number;
  readonly peakMB: number;
}

/** Memory is stable by then: freed pages return to the system a little later. */
const SETTLE_MS = 1_500;

export async function runSubject(
  name: string,
  args: readonly string[],
  options: SubjectOptions = {},
): Promise<SubjectResult> {
  const file = fileURLToPath(new URL(`subjects/${name}.mjs`, import.meta.url));
  const child = spawn(process.execPath, [...(options.nodeFlags ?? imageFlags()), file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...IMAGE_ENVIRONMENT, ...options.env },
  });
  try {
    const lines = createInterface({ input: child.stdout });
    const exited = new Promise<never>((_, reject) => {
      child.once('exit', (code) =>
        reject(new Error(`The subject ${name} ended with code ${code} before it printed`)),
      );
    });
    const first = new Promise<string>((resolve) => lines.once('line', resolve));
    const printed = JSON.parse(await Promise.race([first, exited])) as Record<string, unknown>;
    exited.catch(() => undefined);
    await options.whileRunning?.(printed);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    const megabytes = (field: string): number =>
      Math.round(Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 102.4) / 10;
    return { printed, residentMB: megabytes('VmRSS'), peakMB: megabytes('VmHWM') };
  } finally {
    child.kill('SIGKILL');
  }
}
