/** Counter, gauge and histogram: values per label set, and their text for a scrape. */
import type { Counter, Gauge, Histogram, Labels, MetricOptions } from './metrics.ts';
import { SeriesMap } from './series.ts';
import { formatHeader, formatNumber, formatSample } from './text-format.ts';

export interface Instrument {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labelNames: readonly string[];
  /** Creates the series if it does not exist. */
  touch(labels: Labels): void;
  render(): string;
}

interface Cell {
  value: number;
}

class SingleValue implements Instrument {
  readonly type: 'counter' | 'gauge';
  readonly labelNames: readonly string[];
  protected readonly series: SeriesMap<Cell>;
  readonly #name: string;
  readonly #help: string;

  constructor(type: 'counter' | 'gauge', options: MetricOptions) {
    this.type = type;
    this.labelNames = options.labelNames ?? [];
    this.#name = options.name;
    this.#help = options.help;
    this.series = new SeriesMap(options.name, this.labelNames, () => ({ value: 0 }));
  }

  touch(labels: Labels): void {
    this.series.of(labels);
  }

  render(): string {
    let text = formatHeader(this.#name, this.#help, this.type);
    for (const { text: labels, state } of this.series.values()) {
      text += formatSample(this.#name, labels, state.value);
    }
    return text;
  }
}

export class CounterInstrument extends SingleValue implements Counter {
  constructor(options: MetricOptions) {
    super('counter', options);
  }

  inc(labels?: Labels, by = 1): void {
    if (!(by >= 0)) throw new RangeError(`A counter only grows, it cannot be increased by ${by}`);
    this.series.of(labels).value += by;
  }
}

export class GaugeInstrument extends SingleValue implements Gauge {
  constructor(options: MetricOptions) {
    super('gauge', options);
  }

  set(value: number, labels?: Labels): void {
    this.series.of(labels).value = value;
  }

  add(delta: number, labels?: Labels): void {
    this.series.of(labels).value += delta;
  }

  remove(labels: Labels): void {
    this.series.remove(labels);
  }
}

interface Distribution {
  /** Observations per bucket, not yet cumulative; the last one is beyond the highest bound. */
  readonly counts: Float64Array;
  sum: number;
}

export class HistogramInstrument implements Histogram, Instrument {
  readonly type = 'histogram';
  readonly labelNames: readonly string[];
  readonly buckets: readonly number[];
  readonly #name: string;
  readonly #help: string;
  readonly #series: SeriesMap<Distribution>;

  constructor(options: MetricOptions & { readonly buckets: readonly number[] }) {
    checkBuckets(options.name, options.buckets);
    this.labelNames = options.labelNames ?? [];
    if (this.labelNames.includes('le')) {
      throw new TypeError(`Histogram "${options.name}" cannot have a label "le": it names the buckets`);
    }
    this.buckets = options.buckets;
    this.#name = options.name;
    this.#help = options.help;
    this.#series = new SeriesMap(options.name, this.labelNames, () => ({
      counts: new Float64Array(options.buckets.length + 1),
      sum: 0,
    }));
  }

  touch(labels: Labels): void {
    this.#series.of(labels);
  }

  observe(value: number, labels?: Labels): void {
    const state = this.#series.of(labels);
    const index = bucketIndex(this.buckets, value);
    state.counts[index] = (state.counts[index] ?? 0) + 1;
    state.sum += value;
  }

  render(): string {
    let text = formatHeader(this.#name, this.#help, this.type);
    for (const { text: labels, state } of this.#series.values()) {
      const prefix = labels ? `${labels},` : '';
      let total = 0;
      for (let index = 0; index <= this.buckets.length; index++) {
        total += state.counts[index] ?? 0;
        const bound = formatNumber(this.buckets[index] ?? Infinity);
        text += formatSample(`${this.#name}_bucket`, `${prefix}le="${bound}"`, total);
      }
      text += formatSample(`${this.#name}_sum`, labels, state.sum);
      text += formatSample(`${this.#name}_count`, labels, total);
    }
    return text;
  }
}

/** The first bucket whose upper bound is not below the value. NaN lands beyond the last, as in Prometheus' own clients. */
function bucketIndex(buckets: readonly number[], value: number): number {
  let low = 0;
  let high = buckets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value <= (buckets[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function checkBuckets(name: string, buckets: readonly number[]): void {
  const ascending = buckets.every(
    (bound, i) => Number.isFinite(bound) && (i === 0 || bound > (buckets[i - 1] ?? 0)),
  );
  if (buckets.length === 0 || !ascending) {
    throw new TypeError(
      `Histogram "${name}" needs finite bucket bounds in ascending order (+Inf is added), got [${buckets.join(', ')}]`,
    );
  }
}
