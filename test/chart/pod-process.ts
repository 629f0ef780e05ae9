/**
 * The program of one pod as a process on this machine: with the container's args and env, and in its own mount
 * namespace, in which the service account's token, CA and namespace are at the paths of a pod.
 *
 * One difference to a pod: all processes share one network, so each serves at other addresses.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnGuarded } from '../control-plane/lifeline.ts';
import { IMAGE_ENVIRONMENT, imageFlags } from '../operator-start.ts';

const BACK_OFF = 500;
/** Only this process and its children see the mounts. */
const IN_CLUSTER = 'mount -t tmpfs tmpfs /run && mkdir -p "$1" && cp "$2"/* "$1" && shift 2 && exec "$@"';
const ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface PodProcessOptions {
  readonly program: string;
  /** The Node of the test unless given. */
  readonly node?: string;
  readonly nodeFlags?: readonly string[];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** The port of the separate address for metrics, if the pod has one. */
  readonly metricsPort?: number;
  readonly server: URL;
  readonly account: { readonly token: string; readonly authority: string; readonly namespace: string };
  /** Directory for the account's files; the caller removes it. */
  readonly directory: string;
  readonly graceSeconds: number;
}

export class PodProcess {
  readonly #options: PodProcessOptions;
  readonly lines: string[] = [];
  /** Exits that were not requested. */
  readonly ends: string[] = [];
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(options: PodProcessOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const { directory, account } = this.#options;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(join(directory, 'token'), account.token);
    await writeFile(join(directory, 'ca.crt'), account.authority);
    await writeFile(join(directory, 'namespace'), account.namespace);
    if (!this.#stopping) this.#spawn();
  }

  /** Status of a GET; undefined while nothing answers. */
  async probe(path: string): Promise<number | undefined> {
    try {
      return (await fetch(this.url(path))).status;
    } catch {
      return undefined;
    }
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.#options.port}${path}`;
  }

  get metricsPort(): number | undefined {
    return this.#options.metricsPort;
  }

  /** SIGTERM, and SIGKILL after the grace period. Resolves with the time that it took. */
  async stop(): Promise<number> {
    const began = performance.now();
    this.#stopping = true;
    this.#child?.kill('SIGTERM');
    const kill = setTimeout(() => this.#child?.kill('SIGKILL'), this.#options.graceSeconds * 1000);
    await this.#exited;
    clearTimeout(kill);
    return performance.now() - began;
  }

  #spawn(): void {
    const { program, args, env, port, metricsPort = 0, server, directory } = this.#options;
    const moved = [
      `--http-bind-address=127.0.0.1:${port}`,
      ...args.flatMap((arg) => elsewhere(arg, metricsPort)),
    ];
    const { node = process.execPath, nodeFlags = [] } = this.#options;
    const command = [node, ...imageFlags(node), ...nodeFlags, program, ...args, ...moved];
    const child = spawnGuarded(
      'unshare',
      ['--mount', 'sh', '-c', IN_CLUSTER, 'pod', ACCOUNT_DIRECTORY, directory, ...command],
      {
        output: 'pipe',
        env: {
          PATH: process.env.PATH,
          ...IMAGE_ENVIRONMENT,
          HOME: '/nonexistent',
          KUBERNETES_SERVICE_HOST: server.hostname,
          KUBERNETES_SERVICE_PORT: server.port,
          ...env,
        },
      },
    );
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream as Readable).on('line', (line) => this.lines.push(line));
    this.#exited = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#child = undefined;
        resolve();
        if (this.#stopping) return;
        this.ends.push(signal ?? `status ${code}`);
        void delay(BACK_OFF).then(() => !this.#stopping && this.#spawn());
      });
    });
  }
}

/** Repeats the flag with another port: the last one counts. */
function elsewhere(arg: string, metricsPort: number): string[] {
  if (arg.startsWith('--health-probe-bind-address=:')) return ['--health-probe-bind-address=127.0.0.1:0'];
  if (arg.startsWith('--metrics-bind-address=:')) return [`--metrics-bind-address=127.0.0.1:${metricsPort}`];
  return [];
}
