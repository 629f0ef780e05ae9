/**
 * Times of changes that managedFields do not show: a write that only removes keys does not update the time in
 * managedFields, which is then that of an earlier write. For a change that we observed, the time of the event is used.
 *
 * In: the events of source informers. Out: facts with corrected times. After a restart only managedFields are left.
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

  /** The facts with the observed time if that is newer; else unchanged. */
  applyTo(facts: SourceFacts): SourceFacts {
    const seen = this.#seen.get(facts.metadata.uid);
    return seen && seen.digest === facts.digest && seen.at > facts.writtenAt
      ? { ...facts, writtenAt: seen.at, storedAt: facts.writtenAt }
      : facts;
  }
}
