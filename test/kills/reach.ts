/**
 * The time from each change until every pod of its workload was created after the rollout that brought it.
 *
 * In: the history, read after each of its versions. Out: the time for each change and workload, and the times of the
 * kills. Times are those at which etcd's stream delivered the versions.
 */
import type { Fleet, Workload } from './fleet.ts';
import type { History } from './history.ts';

export type Victim = 'operator' | 'server' | 'etcd';

export interface Span {
  /** Milliseconds since the first change. */
  readonly at: number;
  readonly ms: number;
}

export interface Reached {
  readonly spans: readonly Span[];
  readonly kills: readonly { readonly at: number; readonly victim: Victim }[];
}

export interface Summary {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export class Reach {
  readonly #fleet: Fleet;
  readonly #history: History;
  readonly #now: () => number;
  /** By workload: the number of its known changes, and the times of those that are not rolled out yet. */
  readonly #waiting = new Map<Workload, { known: number; since: number[] }>();
  readonly #spans: Span[] = [];
  readonly #kills: { at: number; victim: Victim }[] = [];
  #began = 0;

  constructor(fleet: Fleet, history: History, now: () => number = () => performance.now()) {
    this.#fleet = fleet;
    this.#history = history;
    this.#now = now;
  }

  begin(): void {
    this.#began = this.#now();
    for (const workload of this.#fleet.workloads) this.#stateOf(workload).known = this.#changes(workload);
  }

  killed(victim: Victim): void {
    this.#kills.push({ at: this.#now() - this.#began, victim });
  }

  look(): void {
    if (this.#began === 0) return;
    const now = this.#now();
    for (const workload of this.#fleet.workloads) {
      if (workload.optIn === 'none') continue;
      const state = this.#stateOf(workload);
      const changes = this.#changes(workload);
      for (; state.known < changes; state.known++) state.since.push(now);
      if (state.since.length === 0 || !this.#hasArrived(workload)) continue;
      for (const since of state.since) this.#spans.push({ at: since - this.#began, ms: now - since });
      state.since = [];
    }
  }

  result(): Reached {
    return { spans: this.#spans, kills: this.#kills };
  }

  #stateOf(workload: Workload): { known: number; since: number[] } {
    const known = this.#waiting.get(workload) ?? { known: 0, since: [] };
    this.#waiting.set(workload, known);
    return known;
  }

  #changes({ sources }: Workload): number {
    return sources.reduce((sum, source) => sum + this.#history.contentChanges(source).length, 0);
  }

  #hasArrived(workload: Workload): boolean {
    const newest = Math.max(
      0,
      ...workload.sources.map((source) => this.#history.contentChanges(source).at(-1) ?? 0),
    );
    const pods = this.#history.livingPods(workload);
    // An earlier rollout may have been so late that it brought this content, too.
    return pods.length > 0 && pods.every(({ created }) => created > newest);
  }
}

export function summaryOf(spans: readonly Span[]): Summary {
  const sorted = spans.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}
