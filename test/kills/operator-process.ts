/**
 * The operator in its own process: started, killed, restarted. It never outlives the process of the test. If it exits
 * by itself, it is restarted half a second later, as a kubelet would.
 */
import type { ChildProcess } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { spawnGuarded } from '../control-plane/lifeline.ts';
import { IMAGE_ENVIRONMENT, imageFlags } from '../operator-start.ts';

const NODE_FLAGS = imageFlags();
const REMEMBERED_LINES = 40;
const BACK_OFF = 500;

export interface OperatorOptions {
  readonly kubeconfig: string;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A file that receives its whole output. */
  readonly logFile?: string;
  /** The file that Node runs. */
  readonly program: string;
}

export class OperatorProcess {
  readonly #options: OperatorOptions;
  readonly #lines: string[] = [];
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #killed = false;
  kills = 0;
  starts = 0;
  /** Exits without a kill. */
  readonly ends: string[] = [];

  constructor(options: OperatorOptions) {
    this.#options = options;
  }

  /** The last lines of its output, across restarts. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  start(): void {
    if (this.#child !== undefined) return;
    const { program, kubeconfig, flags, env } = this.#options;
    const args = [...NODE_FLAGS, program, '--kubeconfig', kubeconfig, ...flags];
    const child = spawnGuarded(process.execPath, args, {
      output: 'pipe',
      env: { ...process.env, ...IMAGE_ENVIRONMENT, ...env },
    });
    this.starts += 1;
    this.#killed = false;
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream as Readable).on('line', (line) => this.#hear(line));
    this.#exited = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#child = undefined;
        resolve();
        if (this.#killed) return;
        this.ends.push(signal ?? `status ${code}`);
        setTimeout(() => !this.#killed && this.start(), BACK_OFF);
      });
    });
  }

  async kill(): Promise<void> {
    this.#killed = true;
    const child = this.#child;
    if (child === undefined) return;
    this.kills += 1;
    child.kill('SIGKILL');
    await this.#exited;
  }

  #hear(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > REMEMBERED_LINES) this.#lines.shift();
    if (this.#options.logFile !== undefined) appendFileSync(this.#options.logFile, `${line}\n`);
  }
}
