/** Shared by the manager's tests: runnables and an election that the test controls. */
import { VirtualClock } from '../clock/virtual-clock.ts';
import { type Elector, type ElectorCallbacks, LeaseLostError } from '../lifecycle/election-contract.ts';
import type { Runnable, RunSignals } from '../lifecycle/runnable.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { Manager, type ManagerOptions } from './manager.ts';

export interface FakeRunnable extends Runnable {
  /** Its entries in the test's shared journal. */
  fail(error: unknown): void;
}

export interface FakeRunnableOptions extends Partial<Runnable> {
  /** How long it takes to end after `stopping`; never when Infinity. */
  readonly stopsAfterMs?: number;
  /** Whether `abort` ends it at once. True unless given. */
  readonly obeysAbort?: boolean;
}

export function createWorld(options: Partial<ManagerOptions> = {}) {
  const clock = new VirtualClock();
  const log = createCapturingLogger();
  const journal: string[] = [];
  const stop = new AbortController();
  const manager = new Manager({ clock, logger: log.logger, ...options });

  const runnable = (name: string, more: FakeRunnableOptions = {}): FakeRunnable => {
    const { stopsAfterMs = 0, obeysAbort = true, ...parts } = more;
    let fail: (error: unknown) => void = () => undefined;
    return {
      name,
      start: ({ stopping, abort }: RunSignals) =>
        new Promise<void>((resolve, reject) => {
          journal.push(`${name} started`);
          let hasEnded = false;
          const end = (how: string) => (): void => {
            if (!hasEnded) journal.push(`${name} ${how}`);
            hasEnded = true;
            resolve();
          };
          fail = reject;
          stopping.addEventListener('abort', () => {
            journal.push(`${name} stopping`);
            if (stopsAfterMs === 0) end('ended')();
            else if (stopsAfterMs < Infinity) clock.setTimeout(end('ended'), stopsAfterMs);
          });
          if (obeysAbort) abort.addEventListener('abort', end('aborted'));
        }),
      fail: (error) => fail(error),
      ...parts,
    };
  };

  return { clock, log, journal, manager, runnable, stop };
}

export class FakeElector implements Elector {
  readonly name = 'lease default/test';
  readonly #journal: string[];
  isLeader = false;
  releaseError: Error | undefined;
  checkError: Error | undefined;
  /** Work that it still has to do after it was told to stop. */
  beforeEnd: (() => Promise<void>) | undefined;
  #callbacks: ElectorCallbacks | undefined;
  #lose: (error: Error) => void = () => undefined;

  constructor(journal: string[]) {
    this.#journal = journal;
  }

  run(signal: AbortSignal, callbacks: ElectorCallbacks): Promise<void> {
    this.#journal.push('election started');
    this.#callbacks = callbacks;
    return new Promise((resolve, reject) => {
      this.#lose = reject;
      signal.addEventListener('abort', async () => {
        if (this.beforeEnd) await this.beforeEnd();
        this.#journal.push('election ended');
        resolve();
      });
    });
  }

  win(): void {
    this.isLeader = true;
    this.#callbacks?.onStartedLeading();
    this.#callbacks?.onNewLeader?.('me');
  }

  lose(): void {
    this.isLeader = false;
    this.#lose(new LeaseLostError('not renewed within 10 s'));
  }

  async release(): Promise<void> {
    this.#journal.push('lease released');
    if (this.releaseError) throw this.releaseError;
  }

  check(): void {
    if (this.checkError) throw this.checkError;
  }
}
