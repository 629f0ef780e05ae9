/**
 * Stores the history in ConfigMaps of the operator's namespace, one key per workload; `history-pieces` selects them.
 *
 * Guarantees: read once when this process becomes leader; written at most every ten seconds, eight pieces at a time,
 * and once more when all other work has ended; only changed pieces are written. A failed write stays in memory and is
 * retried; a missing right is logged once. An entry that moves is written to its new piece first: if it is found twice,
 * the newer one counts.
 */
import {
  type Client,
  type Clock,
  ConflictError,
  ForbiddenError,
  kinds,
  type Logger,
  listAll,
  NotFoundError,
  type Runnable,
  type RunSignals,
  sleep,
} from '@reloader/runtime';
import type { History, WorkloadHistory } from './history.ts';
import { dataKey, formatEntry, storedHistory } from './history-entry.ts';
import { HISTORY_CONFIG_MAP, HISTORY_LABEL, HistoryPieces } from './history-pieces.ts';

const EVERY_MS = 10_000;
const MOST_PIECES_AT_ONCE = 8;
const TRIES = 3;
const MANAGED = { 'app.kubernetes.io/managed-by': 'reloader' };

export interface HistoryStoreOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly namespace: string;
  readonly history: History;
}

export class HistoryStore {
  /** The second one stops after everything that adds to the history. */
  readonly runnables: readonly Runnable[];
  /** Resolves when the stored history is read, or could not be. */
  readonly restored: Promise<void>;
  readonly #options: HistoryStoreOptions;
  readonly #pieces = new HistoryPieces();
  /** Pieces to be written, in this order, with the keys that changed there. */
  readonly #open = new Map<string, Set<string>>();
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
    const { clock } = this.#options;
    await this.#try(() => this.#read(stopping), 'read', stopping);
    this.#onRestored();
    this.#leads = true;
    while (!stopping.aborted) {
      await this.#try(() => this.#write(MOST_PIECES_AT_ONCE, stopping), 'written', stopping);
      await sleep(clock, EVERY_MS, stopping).catch(() => undefined);
    }
  }

  async #finish({ stopping, abort }: RunSignals): Promise<void> {
    await new Promise<void>((resolve) => {
      if (stopping.aborted) resolve();
      else stopping.addEventListener('abort', () => resolve(), { once: true });
    });
    if (this.#leads) await this.#try(() => this.#write(Infinity, abort), 'written', abort);
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { client, history, namespace } = this.#options;
    const found = await historyIn(client, namespace, signal);
    history.restore(found.map(({ key, entry }) => [key, entry] as const));
    for (const { key, piece, entry } of found) this.#pieces.found(key, piece, bytesOf(key, entry));
  }

  async #write(most: number, signal: AbortSignal): Promise<void> {
    this.#sort(this.#options.history.takeChanges());
    for (const [piece, keys] of [...this.#open].slice(0, most)) {
      await (piece === HISTORY_CONFIG_MAP
        ? this.#writeFirst(keys, signal)
        : this.#writeWhole(piece, TRIES, signal));
      this.#open.delete(piece);
    }
  }

  /** Assigns changed keys to the pieces that have to be written, new places first. */
  #sort(changes: ReadonlyMap<string, WorkloadHistory | undefined>): void {
    const left: [piece: string, key: string][] = [];
    for (const [key, value] of changes) {
      const before = this.#pieces.of(key);
      if (value === undefined) this.#pieces.remove(key);
      const after = value && this.#pieces.place(key, bytesOf(key, value));
      if (after !== undefined) this.#mark(after, key);
      if (before !== undefined && before !== after) left.push([before, key]);
    }
    for (const [piece, key] of left) this.#mark(piece, key);
  }

  #mark(piece: string, key: string): void {
    const keys = this.#open.get(piece) ?? new Set();
    this.#open.set(piece, keys.add(key));
  }

  /** Patches only the changed keys of the first ConfigMap. */
  async #writeFirst(keys: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const key = this.#key(HISTORY_CONFIG_MAP);
    const data = Object.fromEntries(
      [...keys].map((each) => [dataKey(each), this.#textIn(HISTORY_CONFIG_MAP, each) ?? null]),
    );
    try {
      await client.patch(kinds.ConfigMap, key, { type: 'merge', body: { data } }, { signal });
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      await client.create(
        kinds.ConfigMap,
        { metadata: { ...key, labels: MANAGED }, data: this.#dataOf(HISTORY_CONFIG_MAP) },
        { signal },
      );
    }
  }

  /** A PUT, because our Role allows a PATCH of the first ConfigMap only. The leader is the only writer. */
  async #writeWhole(piece: string, tries: number, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const key = this.#key(piece);
    const metadata = { ...key, labels: { ...MANAGED, [HISTORY_LABEL]: 'true' } };
    const data = this.#dataOf(piece);
    try {
      const { metadata: live } = await client.get(kinds.ConfigMap, key, { signal });
      const { resourceVersion, uid } = live;
      await client.update(
        kinds.ConfigMap,
        { metadata: { ...metadata, resourceVersion, uid }, data },
        { signal },
      );
    } catch (error) {
      if (error instanceof ConflictError && tries > 1) return this.#writeWhole(piece, tries - 1, signal);
      if (!(error instanceof NotFoundError)) throw error;
      await client.create(kinds.ConfigMap, { metadata, data }, { signal });
    }
  }

  #dataOf(piece: string): Record<string, string> {
    const entries = [...this.#pieces.keysIn(piece)].map((key) => [
      dataKey(key),
      this.#textIn(piece, key) ?? '',
    ]);
    return Object.fromEntries(entries) as Record<string, string>;
  }

  #textIn(piece: string, key: string): string | undefined {
    const value = this.#pieces.of(key) === piece ? this.#options.history.byKey(key) : undefined;
    return value && formatEntry(key, value);
  }

  #key(name: string): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#options.namespace, name };
  }

  /** A failure of the history is logged and does not stop the operator; a missing right is logged only once. */
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

const bytesOf = (key: string, entry: WorkloadHistory): number =>
  Buffer.byteLength(formatEntry(key, entry)) + dataKey(key).length;

export interface FoundHistory {
  readonly key: string;
  readonly piece: string;
  readonly entry: WorkloadHistory;
}

/** The whole stored history, each workload once. A missing ConfigMap counts as empty and does not throw. */
export async function historyIn(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<FoundHistory[]> {
  const found = new Map<string, FoundHistory>();
  const add = (piece: string, data: Readonly<Record<string, string>>): void => {
    for (const [key, entry] of storedHistory(data)) {
      const known = found.get(key);
      if (!known || newestIn(known.entry) <= newestIn(entry)) found.set(key, { key, piece, entry });
    }
  };
  try {
    const first = await client.get(kinds.ConfigMap, { namespace, name: HISTORY_CONFIG_MAP }, { signal });
    add(HISTORY_CONFIG_MAP, first.data ?? {});
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
  try {
    const { items } = await listAll(client, kinds.ConfigMap, {
      namespace,
      labelSelector: HISTORY_LABEL,
      signal,
    });
    for (const { metadata, data = {} } of items) add(metadata.name, data);
  } catch (error) {
    // Without the right to list, the history of the first ConfigMap is the answer.
    if (!(error instanceof ForbiddenError)) throw error;
  }
  return [...found.values()];
}

function newestIn({ reloads }: WorkloadHistory): number {
  return reloads.at(-1)?.seq ?? 0;
}
