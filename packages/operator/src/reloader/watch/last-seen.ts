/**
 * Labels and annotations of deleted sources: they still decide whether the deletion is a reason to reload. The oldest
 * entries are dropped first, and the entry of a re-created source at once.
 */
import type { Informer } from '@reloader/runtime';
import { sourceKey } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';

export type LastLook = Pick<SourceFacts, 'labels' | 'annotations'>;

const MOST = 1000;

export class LastSeen {
  readonly #looks = new Map<string, LastLook>();

  get(key: string): LastLook | undefined {
    return this.#looks.get(key);
  }

  follow(informer: Pick<Informer<SourceFacts>, 'addHandler'>): void {
    informer.addHandler((event) => {
      if (event.type === 'update') return;
      const { kind, metadata, labels, annotations } = event.object;
      const key = sourceKey({ kind, namespace: metadata.namespace, name: metadata.name });
      this.#looks.delete(key);
      if (event.type === 'delete') this.#remember(key, { labels, annotations });
    });
  }

  #remember(key: string, look: LastLook): void {
    if (this.#looks.size >= MOST) {
      const [oldest] = this.#looks.keys();
      if (oldest !== undefined) this.#looks.delete(oldest);
    }
    this.#looks.set(key, look);
  }
}
