/**
 * The values of one metric, one per set of label values.
 *
 * In: label objects. Out: the state kept for exactly those values, made on first use.
 * Guarantees: an object with a label missing or too many is refused, whether or not the series exists.
 */
import type { Labels } from './metrics.ts';
import { describeLabels, formatLabels } from './text-format.ts';

const NO_LABELS: Labels = {};
const SEPARATOR = '\u0000';

export interface Series<S> {
  /** Written once, because a scrape writes every series again. */
  readonly text: string;
  readonly state: S;
}

export class SeriesMap<S> {
  readonly #metric: string;
  readonly #labelNames: readonly string[];
  readonly #create: () => S;
  readonly #series = new Map<string, Series<S>>();

  constructor(metric: string, labelNames: readonly string[], create: () => S) {
    this.#metric = metric;
    this.#labelNames = labelNames;
    this.#create = create;
    if (labelNames.length === 0) this.of(NO_LABELS);
  }

  of(labels: Labels = NO_LABELS): S {
    const key = this.#keyOf(labels);
    const known = this.#series.get(key);
    return known ? known.state : this.#add(key, labels);
  }

  remove(labels: Labels): void {
    this.#series.delete(this.#keyOf(labels));
  }

  values(): IterableIterator<Series<S>> {
    return this.#series.values();
  }

  #keyOf(labels: Labels): string {
    const names = this.#labelNames;
    let key = '';
    for (let index = 0; index < names.length; index++) {
      const value = labels[names[index] as string];
      if (value === undefined) throw this.#mismatch(labels);
      key = index === 0 ? value : key + SEPARATOR + value;
    }
    if (Object.keys(labels).length !== names.length) throw this.#mismatch(labels);
    return key;
  }

  #add(key: string, labels: Labels): S {
    const values = this.#labelNames.map((name) => String(labels[name]));
    // A separator inside a value could make two label sets look like one; no series ever has such a key.
    if (values.some((value) => value.includes(SEPARATOR))) {
      const clean = Object.fromEntries(
        this.#labelNames.map((name, index) => [name, (values[index] ?? '').replaceAll(SEPARATOR, '')]),
      );
      return this.of(clean);
    }
    const state = this.#create();
    this.#series.set(key, { text: formatLabels(this.#labelNames, values), state });
    return state;
  }

  #mismatch(labels: Labels): TypeError {
    const wanted = `{${this.#labelNames.join(', ')}}`;
    return new TypeError(
      `Metric "${this.#metric}" has the labels ${wanted}, but was used with ${describeLabels(labels)}`,
    );
  }
}
