/** An operator in its own process, started as an administrator starts it. */
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { spawnGuarded } from '../control-plane/lifeline.ts';
import type { LogLine, Operator } from './stage.ts';

export interface RealOperatorOptions {
  readonly program: string;
  /** Arguments for Node itself, before the program. */
  readonly nodeArgs?: readonly string[];
  readonly namespace: string;
  readonly user: string;
  readonly port: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export class RealOperator implements Operator {
  readonly namespace: string;
  readonly user: string;
  readonly log: LogLine[] = [];
  failure: string | undefined;
  readonly #lines: string[] = [];
  readonly #port: number;
  readonly #child: ChildProcess;
  readonly #exit: Promise<void>;
  #expected = false;

  constructor({ program, nodeArgs = [], namespace, user, port, args, env }: RealOperatorOptions) {
    this.namespace = namespace;
    this.user = user;
    this.#port = port;
    const common = ['--log-format=json', '--log-level=debug', `--http-bind-address=127.0.0.1:${port}`];
    this.#child = spawnGuarded(process.execPath, [...nodeArgs, program, ...common, ...args], {
      output: 'pipe',
      env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      createInterface(stream as Readable).on('line', (line) => this.#hear(line));
    }
    this.#exit = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        if (code !== 0 && !this.#expected)
          this.failure = `it ended with ${signal ?? code}: ${this.#lines.slice(-5).join('\n')}`;
        else if (code !== 0 && signal === null) this.failure = `it ended with ${code}`;
        resolve();
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  logText(): string {
    return this.#lines.join('\n');
  }

  async metrics(): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/metrics`);
    return answer.text();
  }

  async ready(): Promise<boolean> {
    if (this.failure !== undefined) throw new Error(this.failure);
    try {
      return (await fetch(`http://127.0.0.1:${this.#port}/readyz`)).status === 200;
    } catch {
      return false;
    }
  }

  async stop(): Promise<void> {
    this.#expected = true;
    this.#child.kill('SIGTERM');
    await this.#exit;
    if (this.failure !== undefined) throw new Error(this.failure);
  }

  async kill(): Promise<void> {
    this.#expected = true;
    this.#child.kill('SIGKILL');
    await this.#exit;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  #hear(line: string): void {
    this.#lines.push(line);
    try {
      const {
        level,
        msg,
        time: _,
        ...values
      } = JSON.parse(line) as { level: string; msg: string; time?: string };
      this.log.push({ level, message: msg, values });
    } catch {
      this.log.push({ level: 'stray', message: line, values: {} });
    }
  }
}
