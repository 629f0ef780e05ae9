/** The metrics interface of this package. `createRegistry` implements it; series exist at zero from the start. */
export type Labels = Readonly<Record<string, string>>;

/** Only grows. */
export interface Counter {
  /** Counts one, or `by`. */
  inc(labels?: Labels, by?: number): void;
}

/** Goes up and down. */
export interface Gauge {
  /** Sets the value. */
  set(value: number, labels?: Labels): void;
  /** Adds to the value. */
  add(delta: number, labels?: Labels): void;
  /** Removes a series, so that deleted things are not reported forever. */
  remove(labels: Labels): void;
}

/** Counts observations by size. */
export interface Histogram {
  /** Counts a value. */
  observe(value: number, labels?: Labels): void;
}

/** The name, help and labels of a metric. */
export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[] | undefined;
  /** Label sets that exist at zero before the first event. Without labels there is always one. */
  readonly initial?: readonly Labels[] | undefined;
}

/** Where metrics are declared; the same name gives the same metric. */
export interface Metrics {
  /** Asking again for the same name returns the same metric; with another shape it throws. */
  counter(options: MetricOptions): Counter;
  /** A value that goes up and down. */
  gauge(options: MetricOptions): Gauge;
  /** How values are distributed over buckets. */
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram;
  /**
   * Called just before each scrape, to refresh gauges that are cheaper to read than to update. Returns a function
   * that ends it.
   */
  onScrape(refresh: () => void): () => void;
  /** Prometheus text format. */
  render(): string;
}
