/** Starts one operator process, reads its log and signals it. It never outlives the process of the test. */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { spawnGuarded } from '../control-plane/lifeline.ts';
import { poll } from '../control-plane/poll.ts';
import type { OperatorSettings } from './contract.ts';

export interface Program {
  readonly file: string;
  remove(): Promise<void>;
}

/** Bundled into one file, so that a process starts at once and need not compile. */
export async function buildOperator(): Promise<Program> {
  const directory = await mkdtemp(join(tmpdir(), 'failover-operator-'));
  const file = join(directory, 'operator.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('operator.ts', import.meta.url))],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@reloader/source'],
    logLevel: 'warning',
  });
  return { file, remove: () => rm(directory, { recursive: true, force: true }) };
}

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [value: string]: unknown;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class Replica {
  readonly identity: string;
  readonly log: LogLine[] = [];
  /** Output that is not a log line; normally none. */
  readonly stray: string[] = [];
  readonly exit: Promise<Exit>;
  readonly #child: ChildProcess;

  constructor(program: Program, settings: OperatorSettings) {
    this.identity = settings.identity;
    this.#child = spawnGuarded(process.execPath, [program.file], {
      output: 'pipe',
      env: { ...process.env, FAILOVER_OPERATOR: JSON.stringify(settings) },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      createInterface(stream as Readable).on('line', (line) => this.#hear(line));
    }
    this.exit = new Promise((resolve) => {
      // `close` comes after all output was read.
      this.#child.once('close', (code, signal) => resolve({ code, signal }));
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it if it still runs, even while it is stopped (SIGSTOP). */
  async end(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exit;
  }

  said(message: string): readonly LogLine[] {
    return this.log.filter(({ msg }) => msg === message);
  }

  /** The first line with this message, after skipping `after` of them. */
  async hasSaid(message: string, after = 0, timeout = 20_000): Promise<LogLine> {
    await this.#until(() => this.said(message).length > after, `to say "${message}"`, timeout);
    return this.said(message)[after] as LogLine;
  }

  /** The answer of its readiness probe. */
  async readiness(): Promise<{ readonly status: number; readonly body: string }> {
    const { port } = await this.hasSaid('Listening');
    return new Promise((resolve, reject) => {
      get(`http://127.0.0.1:${port}/readyz?verbose`, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      }).once('error', reject);
    });
  }

  async isReady(ready = true, timeout = 20_000): Promise<void> {
    const status = ready ? 200 : 500;
    const ask = async () => (await this.readiness()).status === status;
    await this.#until(ask, ready ? 'to be ready' : 'to be unready', timeout);
  }

  async #until(ask: () => boolean | Promise<boolean>, what: string, timeout: number): Promise<void> {
    const end = new AbortController();
    this.exit.then(({ code, signal }) => end.abort(new Error(`it ended with ${signal ?? code}`)));
    try {
      await poll(ask, { what: `${this.identity} ${what}`, timeout, every: 20 }, end.signal);
    } catch (error) {
      const lines = this.log.slice(-10).map((line) => JSON.stringify(line));
      throw new Error([String(error), ...lines, ...this.stray].join('\n'), { cause: error });
    }
  }

  #hear(line: string): void {
    try {
      this.log.push(JSON.parse(line) as LogLine);
    } catch {
      this.stray.push(line);
    }
  }
}
