/**
 * Metrics of informers. In: what happens to each informer. Out: series by resource, never by namespace or name, so
 * that their number is bounded by the number of kinds. Informers of one kind share their series: the kind is synced
 * when all of them are, and its age is that of the longest silent one.
 */
import type { Counter, Gauge, Metrics } from '../metrics/metrics.ts';
import { FAILURE_KINDS } from '../reflector/failure.ts';
import { PROBLEM_KINDS, RELIST_CAUSES, type RelistCause } from '../reflector/state.ts';

const ERROR_REASONS = [
  ...FAILURE_KINDS,
  ...PROBLEM_KINDS,
  'malformed',
  'projection',
  'inconsistent',
] as const;
export type ErrorReason = (typeof ERROR_REASONS)[number];

/** Read from an informer at each scrape. */
export interface Measured {
  readonly synced: boolean;
  readonly lastEventAgeMs: number | undefined;
  readonly objects: number;
}

const known = new WeakMap<Metrics, InformerMetrics>();

export class InformerMetrics {
  readonly #synced: Gauge;
  readonly #age: Gauge;
  readonly #objects: Gauge;
  readonly #errors: Counter;
  readonly #relists: Counter;
  readonly #handlerErrors: Counter;
  readonly #measured = new Map<string, Set<() => Measured>>();

  /** One per registry, since a registry has one series of each name. */
  static of(metrics: Metrics): InformerMetrics {
    const existing = known.get(metrics);
    if (existing) return existing;
    const created = new InformerMetrics(metrics);
    known.set(metrics, created);
    return created;
  }

  private constructor(metrics: Metrics) {
    const labelNames = ['type'];
    this.#synced = metrics.gauge({
      name: 'informer_synced',
      help: '1 when every informer of the resource holds its first full list',
      labelNames,
    });
    this.#age = metrics.gauge({
      name: 'informer_last_event_age_seconds',
      help: 'Seconds since an informer of the resource last received an event or a bookmark, the oldest of them',
      labelNames,
    });
    this.#objects = metrics.gauge({
      name: 'informer_objects',
      help: 'Objects held by the informers of the resource',
      labelNames,
    });
    this.#errors = metrics.counter({
      name: 'informer_watch_errors_total',
      help: 'Failures while listing and watching, by resource and reason',
      labelNames: ['type', 'reason'],
    });
    this.#relists = metrics.counter({
      name: 'informer_relists_total',
      help: 'Full reads after the first, by resource and reason',
      labelNames: ['type', 'reason'],
    });
    this.#handlerErrors = metrics.counter({
      name: 'informer_handler_errors_total',
      help: 'Errors thrown by handlers of the informers of the resource',
      labelNames,
    });
    metrics.onScrape(() => this.#refresh());
  }

  error(type: string, reason: ErrorReason): void {
    this.#errors.inc({ type, reason });
  }

  relist(type: string, reason: RelistCause): void {
    this.#relists.inc({ type, reason });
  }

  handlerError(type: string): void {
    this.#handlerErrors.inc({ type });
  }

  /** Reports an informer until the returned function is called. */
  measure(type: string, read: () => Measured): () => void {
    const readers = this.#measured.get(type) ?? new Set();
    if (readers.size === 0) this.#startAtZero(type);
    readers.add(read);
    this.#measured.set(type, readers);
    return () => {
      readers.delete(read);
      if (readers.size > 0) return;
      this.#measured.delete(type);
      for (const gauge of [this.#synced, this.#age, this.#objects]) gauge.remove({ type });
    };
  }

  #startAtZero(type: string): void {
    for (const reason of ERROR_REASONS) this.#errors.inc({ type, reason }, 0);
    for (const reason of RELIST_CAUSES) this.#relists.inc({ type, reason }, 0);
    this.#handlerErrors.inc({ type }, 0);
  }

  #refresh(): void {
    for (const [type, readers] of this.#measured) {
      const all = [...readers].map((read) => read());
      this.#synced.set(all.every(({ synced }) => synced) ? 1 : 0, { type });
      this.#objects.set(
        all.reduce((sum, { objects }) => sum + objects, 0),
        { type },
      );
      const ages = all.flatMap(({ lastEventAgeMs }) =>
        lastEventAgeMs === undefined ? [] : [lastEventAgeMs],
      );
      if (ages.length > 0) this.#age.set(Math.max(...ages) / 1000, { type });
    }
  }
}
