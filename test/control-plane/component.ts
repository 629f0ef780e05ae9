/**
 * One program of a control plane: started, watched until healthy, signalled, started again as it was.
 *
 * Guarantees that the program ends with this process (see lifeline.ts) and that a program that exits before it is
 * healthy is an error with the end of its log. One that exits later is restarted, as a kubelet does with the static pods
 * of a control plane: kube-scheduler, for example, exits if its cache contradicts the store of an API server that was
 * killed.
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { send } from './api.ts';
import type { ComponentName, HealthCheck } from './components.ts';
import { spawnGuarded, unrefGuarded } from './lifeline.ts';
import { poll } from './poll.ts';

export interface ComponentOptions {
  readonly name: ComponentName;
  readonly binary: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly health: HealthCheck;
  readonly authority: string;
}

/** The program ended before it was healthy. */
export class ComponentEndedError extends Error {
  override readonly name = 'ComponentEndedError';
  readonly addressInUse: boolean;

  constructor(component: string, how: string, log: string) {
    const end = log.trim().split('\n').slice(-15).join('\n');
    super(`${component} ended before it was healthy (${how}); the end of its log:\n${end}`);
    this.addressInUse = log.includes('address already in use');
  }
}

const startTimeout = 60_000;
/** So that a program that cannot start does not keep the machine busy. */
const restartDelay = 200;
const ending: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGABRT']);

export class Component {
  readonly options: ComponentOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<string> = Promise.resolve('never started');
  /** It was healthy and was not killed since. */
  #keep = false;

  constructor(options: ComponentOptions) {
    this.options = options;
  }

  /** The process id while the program runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    if (this.#child !== undefined) throw new Error(`${this.options.name} already runs: kill it first`);
    const { binary, args, logFile } = this.options;
    const log = openSync(logFile, 'a');
    const child = spawnGuarded(binary, args, { output: log });
    closeSync(log);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `status ${code}`));
    });
    this.#ended.then(() => {
      this.#child = undefined;
      if (this.#keep) setTimeout(() => this.#startAgain(), restartDelay).unref();
    });
    unrefGuarded(child);
  }

  async waitUntilHealthy(signal?: AbortSignal): Promise<void> {
    const { name, health, authority, logFile } = this.options;
    const ended = new AbortController();
    const stop = () => ended.abort(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    this.#ended.then(async (how) => {
      const log = await readFile(logFile, 'utf8').catch(() => '');
      ended.abort(new ComponentEndedError(name, how, log));
    });
    try {
      signal?.throwIfAborted();
      await poll(
        async () => {
          const answer = await send(health.url, {
            authority: health.authority === 'own' ? authority : undefined,
            signal: ended.signal,
          });
          if (answer.status === 200) return true;
          throw new Error(`${health.url} answered ${answer.status}: ${answer.body.slice(0, 2_000)}`);
        },
        { what: `${name} to be healthy (its log: ${logFile})`, timeout: startTimeout, every: 25 },
        ended.signal,
      );
      this.#keep = true;
    } catch (error) {
      throw ended.signal.aborted ? ended.signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Sends the signal; resolves when the program has exited if the signal ends it, else at once. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (ending.has(signal)) this.#keep = false;
    if (child === undefined) return;
    if (!child.kill(signal) && child.exitCode === null && child.signalCode === null) {
      throw new Error(`${signal} could not be sent to ${this.options.name} (process ${child.pid})`);
    }
    if (!ending.has(signal)) return;
    child.ref();
    await this.#ended;
  }

  #startAgain(): void {
    if (this.#keep && this.#child === undefined) this.start();
  }
}
