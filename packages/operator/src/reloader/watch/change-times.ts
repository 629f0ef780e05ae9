/**
 * When sources changed whose managedFields do not tell: who only takes keys away leaves no time behind, and the time
 * that stands there is that of an earlier write. A change that we saw happen is then as old as our seeing it.
 *
 * In: the events of source informers. Out: facts with the right time. After a restart only managedFields are left.
 */
import type { Clock, Informer } from '@reloader/runtime';
import type { SourceFacts } from '../model/source-facts.ts';

interface Seen {
  readonly digest: string;
  /** Seconds since the epoch. */
  readonly at: number;
}

export class ChangeTimes {
  readonly #clock: Pick<Clock, 'now'>;
  /** By uid. */
  readonly #seen = new Map<string, Seen>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  follow(informer: Pick<Informer<SourceFacts>, 'addHandler'>): void {
    informer.addHandler((event) => {
      const { metadata, digest, writtenAt } = event.object;
      if (event.type === 'delete') this.#seen.delete(metadata.uid);
      if (event.type !== 'update' || event.old.digest === digest) return;
      if (writtenAt > event.old.writtenAt) this.#seen.delete(metadata.uid);
      else this.#seen.set(metadata.uid, { digest, at: Math.floor(this.#clock.now() / 1000) });
    });
  }

  /** The same facts unless we know better. */
  applyTo(facts: SourceFacts): SourceFacts {
    const seen = this.#seen.get(facts.metadata.uid);
    return seen && seen.digest === facts.digest && seen.at > facts.writtenAt
      ? { ...facts, writtenAt: seen.at }
      : facts;
  }
}
