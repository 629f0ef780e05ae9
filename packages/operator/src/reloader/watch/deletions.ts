/**
 * Tells deletions from labels that left `--resource-label-selector`: to the watch both are the same event.
 *
 * In: sources that left the cache. Out: which of them are proven to be gone, by a list of that one name. Where the list
 * fails, the source stays unknown: it never counts as deleted by mistake. Deletions while no operator runs are not
 * proven.
 */
import { type Client, type Clock, type Informer, kinds, type Logger, sleep } from '@reloader/runtime';
import { type SourceRef, sourceKey } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';

export interface DeletionsOptions {
  readonly client: Pick<Client, 'list'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const MOST = 1000;
/** The waits before each further try. */
const WAITS_MS = [1_000, 4_000];

export class Deletions {
  readonly #options: DeletionsOptions;
  readonly #proven = new Set<string>();
  /** Those whose list is under way; one that comes back meanwhile is taken out. */
  readonly #asked = new Set<string>();

  constructor(options: DeletionsOptions) {
    this.#options = options;
  }

  has(ref: SourceRef): boolean {
    return this.#proven.has(sourceKey(ref));
  }

  follow(informer: Pick<Informer<SourceFacts>, 'addHandler'>): void {
    informer.addHandler(({ type, object }) => {
      if (type !== 'add') return;
      const { namespace, name } = object.metadata;
      const key = sourceKey({ kind: object.kind, namespace, name });
      this.#proven.delete(key);
      this.#asked.delete(key);
    });
  }

  /** Never rejects. */
  async prove(ref: SourceRef): Promise<void> {
    const key = sourceKey(ref);
    this.#asked.add(key);
    const exists = await this.#exists(ref);
    if (!this.#asked.delete(key) || exists) return;
    this.#proven.add(key);
    const [oldest] = this.#proven;
    if (this.#proven.size > MOST && oldest !== undefined) this.#proven.delete(oldest);
  }

  /** True if it is not known. */
  async #exists({ kind, namespace, name }: SourceRef): Promise<boolean> {
    const { client, clock, logger } = this.#options;
    const type = kind === 'Secret' ? kinds.Secret : kinds.ConfigMap;
    for (const waitMs of [...WAITS_MS, undefined]) {
      try {
        const fieldSelector = `metadata.name=${name}`;
        const { items } = await client.list(type, { namespace, fieldSelector, metadataOnly: true });
        return items.length > 0;
      } catch (error) {
        logger.debug('It is not known whether a source was deleted', { kind, namespace, name, error });
        if (waitMs !== undefined) await sleep(clock, waitMs);
      }
    }
    return true;
  }
}
