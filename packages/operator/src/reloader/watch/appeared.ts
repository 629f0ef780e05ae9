/**
 * Sources that this process saw appear: they were created, or began to match the label selector. A workload without a
 * record has no other proof that they are new. Only uids are kept, those of the latest ones.
 */
import type { Informer } from '@reloader/runtime';
import type { SourceFacts } from '../model/source-facts.ts';

const MOST = 1000;

export class Appeared {
  readonly #uids = new Set<string>();

  follow(informer: Pick<Informer<SourceFacts>, 'addHandler'>): void {
    informer.addHandler((event) => {
      const { uid } = event.object.metadata;
      if (event.type === 'delete') this.#uids.delete(uid);
      if (event.type !== 'add' || event.initial) return;
      this.#uids.add(uid);
      const [oldest] = this.#uids;
      if (this.#uids.size > MOST && oldest !== undefined) this.#uids.delete(oldest);
    });
  }

  applyTo(facts: SourceFacts): SourceFacts {
    return this.#uids.has(facts.metadata.uid) ? { ...facts, appeared: true } : facts;
  }
}
