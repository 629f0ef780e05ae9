/**
 * Keeps all metrics of a process and writes them for a scrape.
 *
 * In: metric declarations, then numbers. Out: Prometheus text. Guarantees: metrics appear in the order in
 * which they were declared; a name is declared once, and asking again gives the same metric; a refresh
 * callback that throws is logged and fails no scrape. It does not bound the number of series: labels must
 * come from small sets, never from object names.
 */
import type { Logger } from '../logging/logger.ts';
import { CounterInstrument, GaugeInstrument, HistogramInstrument, type Instrument } from './instruments.ts';
import type { Counter, Gauge, Histogram, MetricOptions, Metrics } from './metrics.ts';
import { checkNames } from './text-format.ts';

/** Options of a registry. */
export interface RegistryOptions {
  /** Logs refresh callbacks that throw. */
  readonly logger?: Logger | undefined;
}

/** Holds metrics and prints them in the text format of Prometheus. */
export function createRegistry(options: RegistryOptions = {}): Metrics {
  return new Registry(options);
}

class Registry implements Metrics {
  readonly #logger: Logger | undefined;
  readonly #instruments = new Map<string, Instrument>();
  readonly #refreshes = new Set<() => void>();

  constructor(options: RegistryOptions) {
    this.#logger = options.logger;
  }

  counter(options: MetricOptions): Counter {
    return this.#declare(options, CounterInstrument, () => new CounterInstrument(options));
  }

  gauge(options: MetricOptions): Gauge {
    return this.#declare(options, GaugeInstrument, () => new GaugeInstrument(options));
  }

  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram {
    const metric = this.#declare(options, HistogramInstrument, () => new HistogramInstrument(options));
    if (!sameItems(metric.buckets, options.buckets)) throw otherShape(options.name, 'buckets');
    return metric;
  }

  onScrape(refresh: () => void): () => void {
    // A wrapper per registration, so that one callback may be registered twice and ended once.
    const entry = (): void => refresh();
    this.#refreshes.add(entry);
    return () => void this.#refreshes.delete(entry);
  }

  render(): string {
    for (const refresh of this.#refreshes) {
      try {
        refresh();
      } catch (error) {
        this.#logger?.warn('A metric could not be refreshed; its last value is reported', { error });
      }
    }
    let text = '';
    for (const instrument of this.#instruments.values()) text += instrument.render();
    return text;
  }

  #declare<I extends Instrument>(
    options: MetricOptions,
    kind: new (...args: never[]) => I,
    create: () => I,
  ): I {
    const known = this.#instruments.get(options.name);
    if (known && !(known instanceof kind)) throw otherShape(options.name, 'type');
    if (known && !sameItems(known.labelNames, options.labelNames ?? []))
      throw otherShape(options.name, 'labels');
    if (!known) checkNames(options.name, options.labelNames ?? []);
    const metric = known ?? create();
    for (const labels of options.initial ?? []) metric.touch(labels);
    this.#instruments.set(options.name, metric);
    return metric;
  }
}

function sameItems<T>(left: readonly T[], right: readonly T[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

function otherShape(name: string, what: string): TypeError {
  return new TypeError(
    `Metric "${name}" was declared before with other ${what}: use the same, or another name`,
  );
}
