/** A real Prometheus, from the system's packages, that scrapes one address every second. */
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { type CommandResult, runCommand } from '../control-plane/command.ts';
import { spawnGuarded } from '../control-plane/lifeline.ts';
import { poll } from '../control-plane/poll.ts';
import { freePorts } from '../control-plane/ports.ts';

export const RULES = fileURLToPath(new URL('../../charts/reloader/files/rules.yaml', import.meta.url));
const INSTALL = 'install it with `apt-get install prometheus`';

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

export async function promtool(...args: readonly string[]): Promise<CommandResult> {
  try {
    return await runCommand('promtool', args);
  } catch (error) {
    throw new Error(`promtool cannot be started: ${INSTALL}`, { cause: error });
  }
}

export class Prometheus {
  readonly #directory: string;
  readonly #child: ChildProcess;
  readonly #url: string;

  private constructor(directory: string, child: ChildProcess, url: string) {
    this.#directory = directory;
    this.#child = child;
    this.#url = url;
  }

  /** `target` is host and port. */
  static async start(target: string): Promise<Prometheus> {
    if ((await promtool('--version')).status !== 0) throw new Error(`promtool does not work: ${INSTALL}`);
    const directory = await mkdtemp(join(tmpdir(), 'prometheus-'));
    const [port] = await freePorts(1);
    const config = join(directory, 'prometheus.yml');
    await writeFile(
      config,
      stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [RULES],
        scrape_configs: [{ job_name: 'reloader', static_configs: [{ targets: [target] }] }],
      }),
    );
    const listen = `127.0.0.1:${port}`;
    const child = spawnGuarded(
      'prometheus',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=${listen}`,
        '--log.level=error',
      ],
      { output: 'ignore' },
    );
    const prometheus = new Prometheus(directory, child, `http://${listen}`);
    await poll(async () => (await fetch(`http://${listen}/-/ready`)).ok, {
      what: `Prometheus to be ready (${INSTALL})`,
      timeout: 20_000,
    });
    return prometheus;
  }

  async query(expression: string): Promise<Sample[]> {
    const response = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const answer = (await response.json()) as {
      status: string;
      error?: string;
      data: { resultType: string; result: { metric: Record<string, string>; value: [number, string] }[] };
    };
    if (answer.status !== 'success') throw new Error(`${expression}: ${answer.error}`);
    return answer.data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
  }

  /** The single value of an expression; undefined if it has none. */
  async number(expression: string): Promise<number | undefined> {
    const samples = await this.query(expression);
    if (samples.length > 1) throw new Error(`${expression} gives ${samples.length} series, not one`);
    return samples[0]?.value;
  }

  /** Names and health of the rules that it loaded. */
  async rules(): Promise<{ readonly name: string; readonly health: string }[]> {
    const answer = (await (await fetch(`${this.#url}/api/v1/rules`)).json()) as {
      data: { groups: { rules: { name: string; health: string }[] }[] };
    };
    return answer.data.groups.flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    if (this.#child.kill('SIGTERM')) await ended;
    await rm(this.#directory, { recursive: true, force: true });
  }
}
