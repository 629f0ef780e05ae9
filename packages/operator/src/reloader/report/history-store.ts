/**
 * Keeps the history in a ConfigMap of the operator's namespace, one key per workload.
 *
 * Guarantees: read once when this process begins to lead, written at most every ten seconds and once more when all other
 * work has ended, only the keys that changed. What cannot be written stays in memory and is tried again; where we may not, that is said once.
 */
import { createHash } from 'node:crypto';
import {
  type Client,
  type Clock,
  ForbiddenError,
  kinds,
  type Logger,
  NotFoundError,
  type Runnable,
  type RunSignals,
  sleep,
} from '@reloader/runtime';
import type { History, ReloadEntry, WorkloadHistory } from './history.ts';

export const HISTORY_CONFIG_MAP = 'reloader-history';
const EVERY_MS = 10_000;
const LONGEST_KEY = 253;

export interface HistoryStoreOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly namespace: string;
  readonly history: History;
}

export class HistoryStore {
  /** The second one stops after everything that makes history. */
  readonly runnables: readonly Runnable[];
  /** Resolves when what a predecessor stored has been read, or could not be. */
  readonly restored: Promise<void>;
  readonly #options: HistoryStoreOptions;
  #leads = false;
  #saidForbidden = false;
  #onRestored: () => void = () => undefined;

  constructor(options: HistoryStoreOptions) {
    this.#options = options;
    this.restored = new Promise((resolve) => {
      this.#onRestored = resolve;
    });
    this.runnables = [
      { name: 'reload history', needsLeaderElection: true, start: (signals) => this.#keep(signals) },
      { name: 'reload history, last write', stage: 'http', start: (signals) => this.#finish(signals) },
    ];
  }

  async #keep({ stopping }: RunSignals): Promise<void> {
    const { clock, history } = this.#options;
    await this.#try(() => this.#read(stopping), 'read', stopping);
    this.#onRestored();
    this.#leads = true;
    while (!stopping.aborted) {
      if (history.hasChanges) await this.#try(() => this.#write(stopping), 'written', stopping);
      await sleep(clock, EVERY_MS, stopping).catch(() => undefined);
    }
  }

  async #finish({ stopping, abort }: RunSignals): Promise<void> {
    await new Promise<void>((resolve) => {
      if (stopping.aborted) resolve();
      else stopping.addEventListener('abort', () => resolve(), { once: true });
    });
    if (!this.#leads || !this.#options.history.hasChanges) return;
    await this.#try(() => this.#write(abort), 'written', abort);
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { client, history } = this.#options;
    try {
      const { data = {} } = await client.get(kinds.ConfigMap, this.#key, { signal });
      history.restore(storedHistory(data));
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { client, history } = this.#options;
    const changes = history.takeChanges();
    const data = Object.fromEntries(
      [...changes].map(([key, value]) => [dataKey(key), value ? formatEntry(key, value) : null]),
    );
    try {
      await client.patch(kinds.ConfigMap, this.#key, { type: 'merge', body: { data } }, { signal });
    } catch (error) {
      if (!(error instanceof NotFoundError)) {
        history.putBack(changes.keys());
        throw error;
      }
      await this.#create(changes, signal);
    }
  }

  async #create(changes: Map<string, WorkloadHistory | undefined>, signal: AbortSignal): Promise<void> {
    const { client, history } = this.#options;
    const entries = [...changes].flatMap(([key, value]) =>
      value ? [[dataKey(key), formatEntry(key, value)] as const] : [],
    );
    const object = {
      metadata: { ...this.#key, labels: { 'app.kubernetes.io/managed-by': 'reloader' } },
      data: Object.fromEntries(entries),
    };
    try {
      await client.create(kinds.ConfigMap, object, { signal });
    } catch (error) {
      history.putBack(changes.keys());
      throw error;
    }
  }

  get #key() {
    return { namespace: this.#options.namespace, name: HISTORY_CONFIG_MAP };
  }

  /** A history that cannot be kept is no reason to stop, nor to complain every ten seconds where it is not wanted. */
  async #try(work: () => Promise<void>, what: string, signal: AbortSignal): Promise<void> {
    const { logger, namespace } = this.#options;
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ForbiddenError) {
        if (this.#saidForbidden) return;
        this.#saidForbidden = true;
      }
      logger.warn(`The history of reloads could not be ${what}`, {
        configMap: `${namespace}/${HISTORY_CONFIG_MAP}`,
        error,
      });
    }
  }
}

/** Keys of a ConfigMap know no slash and have a limit. */
function dataKey(key: string): string {
  const plain = key.replaceAll('/', '.').replaceAll(':', '_');
  if (plain.length <= LONGEST_KEY) return plain;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16);
  return `${plain.slice(0, LONGEST_KEY - 17)}.${digest}`;
}

function formatEntry(key: string, history: WorkloadHistory): string {
  return JSON.stringify({ workload: key, ...history });
}

/** The histories in the data of the ConfigMap, by the keys of their workloads. */
export function storedHistory(
  data: Readonly<Record<string, string>>,
): (readonly [key: string, history: WorkloadHistory])[] {
  return Object.values(data).flatMap(parseEntry);
}

/** What somebody else wrote there is left out. */
function parseEntry(text: string): (readonly [string, WorkloadHistory])[] {
  try {
    const { workload, reloads, held } = JSON.parse(text) as Partial<WorkloadHistory> & { workload?: unknown };
    if (typeof workload !== 'string' || workload.split('/').length !== 3 || !Array.isArray(reloads))
      return [];
    const valid = (reloads as Partial<ReloadEntry>[]).filter(isEntry);
    return [[workload, { reloads: valid, ...(held && { held }) }]];
  } catch {
    return [];
  }
}

function isEntry(entry: Partial<ReloadEntry> | null): entry is ReloadEntry {
  return (
    typeof entry?.seq === 'number' &&
    typeof entry.at === 'number' &&
    typeof entry.result === 'string' &&
    Array.isArray(entry.sources) &&
    Array.isArray(entry.configs)
  );
}
