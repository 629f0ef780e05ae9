/**
 * The values of one metric, one per set of label values.
 *
 * In: label objects. Out: the state kept for exactly those values, made on first use.
 * Guarantees: an object with a label missing or too many is refused, whether or not the series exists.
 *
 * Series hang in a tree with one level per label: to join the values into one key would cost more than the rest of
 * counting together, because every new string has to be hashed again.
 */
import type { Labels } from './metrics.ts';
import { describeLabels, formatLabels } from './text-format.ts';

const NO_LABELS: Labels = {};

export interface Series<S> {
  /** Rendered once, because every scrape needs it. */
  readonly text: string;
  readonly state: S;
}

interface Branch<S> {
  readonly children: Map<string, Branch<S>>;
  series: Series<S> | undefined;
}

export class SeriesMap<S> {
  readonly #metric: string;
  readonly #labelNames: readonly string[];
  readonly #create: () => S;
  readonly #root: Branch<S> = newBranch();
  /** In the order of their creation. */
  readonly #series = new Set<Series<S>>();

  constructor(metric: string, labelNames: readonly string[], create: () => S) {
    this.#metric = metric;
    this.#labelNames = labelNames;
    this.#create = create;
    if (labelNames.length === 0) this.of(NO_LABELS);
  }

  of(labels: Labels = NO_LABELS): S {
    const branch = this.#branchOf(labels);
    if (branch.series) return branch.series.state;
    const values = this.#labelNames.map((name) => String(labels[name]));
    const series = { text: formatLabels(this.#labelNames, values), state: this.#create() };
    branch.series = series;
    this.#series.add(series);
    return series.state;
  }

  remove(labels: Labels): void {
    const branch = this.#branchOf(labels);
    if (branch.series) this.#series.delete(branch.series);
    branch.series = undefined;
  }

  values(): Iterable<Series<S>> {
    return this.#series;
  }

  #branchOf(labels: Labels): Branch<S> {
    const names = this.#labelNames;
    let branch = this.#root;
    for (let index = 0; index < names.length; index++) {
      const value = labels[names[index] as string];
      if (value === undefined) throw this.#mismatch(labels);
      let child = branch.children.get(value);
      if (!child) {
        child = newBranch();
        branch.children.set(value, child);
      }
      branch = child;
    }
    if (Object.keys(labels).length !== names.length) throw this.#mismatch(labels);
    return branch;
  }

  #mismatch(labels: Labels): TypeError {
    const wanted = `{${this.#labelNames.join(', ')}}`;
    return new TypeError(
      `Metric "${this.#metric}" has the labels ${wanted}, but was used with ${describeLabels(labels)}`,
    );
  }
}

function newBranch<S>(): Branch<S> {
  return { children: new Map(), series: undefined };
}
