/**
 * What sources contained before, for as long as a pod may still have it: a source that changed and changed back looks
 * as if nothing had happened.
 *
 * In: the events of source informers. Out: facts with the contents that came before the present one. Guarantees: only
 * digests are kept, of few contents for each source, and of as many sources as changed last.
 */
import type { Informer } from '@reloader/runtime';
import type { PastContent, SourceFacts } from '../model/source-facts.ts';

const MOST_SOURCES = 1000;
const MOST_CONTENTS = 8;

export class PastContents {
  /** By uid; those that changed last come last. */
  readonly #past = new Map<string, readonly PastContent[]>();

  /** `timed` tells facts with the time of their last change. */
  follow(
    informer: Pick<Informer<SourceFacts>, 'addHandler'>,
    timed: (facts: SourceFacts) => SourceFacts,
  ): void {
    informer.addHandler((event) => {
      const { uid } = event.object.metadata;
      if (event.type === 'delete') this.#past.delete(uid);
      if (event.type !== 'update' || event.old.metadata.uid !== uid) return;
      if (event.old.digest !== event.object.digest) this.#add(uid, event.old, timed(event.object).writtenAt);
    });
  }

  /** The same facts where nothing came before. */
  applyTo(facts: SourceFacts): SourceFacts {
    const past = this.#past.get(facts.metadata.uid);
    return past ? { ...facts, past } : facts;
  }

  #add(uid: string, { digest, keyDigests, writtenAt, writtenBy: by }: SourceFacts, until: number): void {
    const before = this.#past.get(uid) ?? [];
    const last = before.at(-1);
    // Not its own time where we saw it written: that may be of a later label.
    const content = last
      ? { digest, keyDigests, by, from: last.until, until }
      : { digest, keyDigests, by, from: writtenAt, until, first: true as const };
    this.#past.delete(uid);
    if (this.#past.size >= MOST_SOURCES) {
      const [oldest] = this.#past.keys();
      if (oldest !== undefined) this.#past.delete(oldest);
    }
    this.#past.set(uid, [...before, content].slice(-MOST_CONTENTS));
  }
}
