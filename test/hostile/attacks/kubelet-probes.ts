/** Measures whether probes are answered during an attack on the port. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Victim } from '../victim.ts';

export interface Probed {
  readonly slowestMs: number;
  readonly failures: readonly string[];
}

export class Prober {
  readonly #worker: Worker;
  readonly #result: Promise<Probed>;

  constructor({ port, pid }: Pick<Victim, 'port' | 'pid'>) {
    this.#worker = new Worker(new URL('kubelet-probes.mjs', import.meta.url), { workerData: { port, pid } });
    this.#result = new Promise((resolve, reject) => {
      this.#worker.once('error', reject);
      this.#worker.on('message', (message: Probed | { round: true }) => {
        if ('slowestMs' in message) resolve(message);
      });
    });
  }

  /** Resolves after this many further rounds of probes. */
  async again(rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) await once(this.#worker, 'message');
  }

  async stop(): Promise<Probed> {
    this.#worker.postMessage('stop');
    try {
      return await this.#result;
    } finally {
      await this.#worker.terminate();
    }
  }
}
