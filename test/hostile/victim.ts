/** The operator as its users run it, in its own process, with a meter for blocks of its event loop. */
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { poll } from '../control-plane/poll.ts';
import { freePorts } from '../control-plane/ports.ts';
import { IMAGE_ENVIRONMENT, imageFlags } from '../operator-start.ts';
import { RealOperator } from '../reloader/real-operator.ts';

const METER = fileURLToPath(new URL('stall-meter.mjs', import.meta.url));
const READY_MS = 30_000;

export interface VictimOptions {
  /** The operator in one file. */
  readonly program: string;
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Victim {
  readonly port: number;
  readonly pid: number;
  readonly startedAt: number;
  /** Its whole output. */
  log(): string;
  metrics(): Promise<string>;
  /** The longest block of its event loop since then, in milliseconds (`since`: milliseconds since the epoch). */
  longestStall(since: number): number;
  /** Processor time of its main thread so far, in milliseconds. */
  processorTime(): number;
  /** Its peak resident memory so far, in MB. */
  peakMemory(): number;
  /** Stops it as Kubernetes does: it must end by itself. */
  stop(): Promise<void>;
}

export async function startVictim(options: VictimOptions): Promise<Victim> {
  const { program, kubeconfig, namespace, flags = [], env = {} } = options;
  const directory = await mkdtemp(join(tmpdir(), 'hostile-'));
  const stalls = join(directory, 'stalls');
  writeFileSync(stalls, '');
  const [port = 0] = await freePorts(1);
  const startedAt = Date.now();
  const operator = new RealOperator({
    program,
    nodeArgs: [...imageFlags(), '--import', METER],
    namespace,
    user: 'admin',
    port,
    args: ['--kubeconfig', kubeconfig, '--log-level=info', '--settle=100ms', '--reload-rate=0', ...flags],
    env: { ...IMAGE_ENVIRONMENT, POD_NAMESPACE: namespace, STALL_METER_FILE: stalls, ...env },
  });
  onTestFinished(async () => {
    await operator.kill();
    await rm(directory, { recursive: true, force: true });
  });
  const victim: Victim = {
    port,
    get pid() {
      return operator.pid;
    },
    startedAt,
    log: () => operator.logText(),
    metrics: () => operator.metrics(),
    longestStall: (since) => Math.max(0, ...stallsIn(stalls, since)),
    processorTime: () => processorTimeOf(operator.pid),
    peakMemory: () => peakOf(operator.pid),
    stop: () => operator.stop(),
  };
  await poll(() => operator.ready(), { what: 'the operator to be ready', timeout: READY_MS });
  return victim;
}

function stallsIn(file: string, since: number): number[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => Number(line.split(' ')[0]) >= since)
    .map((line) => Number(line.split(' ')[1] ?? 0));
}

function processorTimeOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

function peakOf(pid: number): number {
  const [, kilobytes = '0'] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
