/** How many lines there are, by state and by the reason of a wait. */
import type { LineCounts, LineState, Wait } from './shapes.ts';

export const LINE_STATES: readonly LineState[] = ['failing', 'waiting', 'rolling', 'troubled', 'current'];

/** The fields of a line that are counted. */
export interface Counted {
  readonly state: LineState;
  readonly why: Wait['why'] | undefined;
  readonly frozen: unknown;
}

export class Counts {
  readonly #byState = Object.fromEntries(LINE_STATES.map((state) => [state, 0])) as Record<LineState, number>;
  readonly #byWait = new Map<Wait['why'], number>();
  #all = 0;
  #frozen = 0;

  add(line: Counted): void {
    this.#change(line, 1);
  }

  /** Of a line that was added before, and has not changed since. */
  remove(line: Counted): void {
    this.#change(line, -1);
  }

  get now(): LineCounts {
    return {
      all: this.#all,
      byState: { ...this.#byState },
      byWait: Object.fromEntries([...this.#byWait].filter(([, count]) => count > 0)),
      frozen: this.#frozen,
    };
  }

  #change({ state, why, frozen }: Counted, by: 1 | -1): void {
    this.#all += by;
    this.#byState[state] += by;
    if (why !== undefined) this.#byWait.set(why, (this.#byWait.get(why) ?? 0) + by);
    if (frozen) this.#frozen += by;
  }
}

/** Of all lines and of those of each namespace, kept up to date as lines change. */
export class CountsByNamespace {
  readonly #all = new Counts();
  readonly #of = new Map<string, Counts>();

  replace(namespace: string, before: Counted | undefined, after: Counted | undefined): void {
    const own = this.#of.get(namespace) ?? new Counts();
    this.#of.set(namespace, own);
    for (const counts of [this.#all, own]) {
      if (before) counts.remove(before);
      if (after) counts.add(after);
    }
  }

  /** Undefined for all namespaces. */
  in(namespace: string | undefined): LineCounts {
    return (namespace === undefined ? this.#all : (this.#of.get(namespace) ?? new Counts())).now;
  }
}
