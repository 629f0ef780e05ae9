/**
 * Earlier contents of sources, which pods may still have: a source that changed and changed back looks unchanged
 * otherwise.
 *
 * In: the events of source informers. Out: facts with the earlier contents. Guarantees: only digests are kept, of a few
 * contents per source, and for a bounded number of sources that changed last.
 */
import type { Informer } from '@reloader/runtime';
import type { PastContent, SourceFacts } from '../model/source-facts.ts';

const MOST_SOURCES = 1000;
const MOST_CONTENTS = 8;

export class PastContents {
  /** By uid; the source that changed last is at the end. */
  readonly #past = new Map<string, readonly PastContent[]>();

  /** `timed` corrects the time of the last change in the facts. */
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

  /** The facts with earlier contents; unchanged if there are none. */
  applyTo(facts: SourceFacts): SourceFacts {
    const past = this.#past.get(facts.metadata.uid);
    return past ? { ...facts, past } : facts;
  }

  #add(uid: string, { digest, keyDigests, writtenAt, writtenBy: by }: SourceFacts, until: number): void {
    // A content that was replaced before cannot have lasted longer: its end was observed by a clock that is ahead.
    const before = (this.#past.get(uid) ?? []).map((each) =>
      each.until > until ? { ...each, until } : each,
    );
    const last = before.at(-1);
    // If we saw the write, its time is used: `writtenAt` may be that of a later label change.
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
