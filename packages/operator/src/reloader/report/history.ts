/**
 * The last reloads of each workload with their result and duration, and the reloads that are held back. In memory;
 * `history-store` stores it in ConfigMaps.
 *
 * Guarantees: at most five reloads per workload and 10 MB altogether, which is enough for 10,000 workloads (those with
 * the oldest last change are dropped first); no content of any source. It is for people: no decision depends on it.
 */

import type { RestoreReport } from '../model/restore.ts';
import type { Want } from '../model/want.ts';
import { parseWorkloadKey, type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { Later } from '../schedule/types.ts';
import type { ReloadReport, Reporter, RolloutResult } from './reporter.ts';
import { refOf } from './texts.ts';

export interface ReloadEntry {
  readonly seq: number;
  /** Seconds since the epoch. */
  readonly at: number;
  /** `Secret shop/credentials` */
  readonly sources: readonly string[];
  /** Number of further sources. */
  readonly moreSources?: number;
  /** ReloaderConfigs that asked, `namespace/name`. */
  readonly configs: readonly string[];
  readonly result: 'rolling' | 'refused' | RolloutResult;
  /** From the time that the change was first seen to the end of the rollout: `waited` and `rollout` together. */
  readonly seconds?: number;
  /** Seconds from the time that the change was first seen to the reload. */
  readonly waited?: number;
  /** Seconds from the reload to the end of the rollout. */
  readonly rollout?: number;
  readonly message?: string;
  /** It undid the reload of this number, which had failed. */
  readonly undoes?: number;
  /** After it failed: its ConfigMaps were restored, or not, or another client overwrote them again. */
  readonly restore?: RestoreReport['result'];
  /** The alert was sent, or cannot be sent. Absent if none was configured. */
  readonly alerted?: true;
}

export interface WorkloadHistory {
  /** The oldest first. */
  readonly reloads: readonly ReloadEntry[];
  readonly held?: { readonly reason: string; readonly until?: number; readonly message: string };
}

const MOST_RELOADS = 5;
const MOST_BYTES = 10_000_000;
const LONGEST_MESSAGE = 300;
/** Limit of sources in one entry; the ledger has all of them. */
const MOST_SOURCES = 10;

export class History implements Partial<Reporter> {
  readonly #now: () => number;
  /** In the order of their last change, the oldest first. */
  readonly #workloads = new Map<string, WorkloadHistory>();
  readonly #sizes = new Map<string, number>();
  readonly #seen = new Map<string, number>();
  readonly #changed = new Set<string>();
  #bytes = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  of(ref: WorkloadRef): WorkloadHistory | undefined {
    return this.#workloads.get(workloadKey(ref));
  }

  byKey(key: string): WorkloadHistory | undefined {
    return this.#workloads.get(key);
  }

  entries(): Iterable<readonly [WorkloadRef, WorkloadHistory]> {
    return [...this.#workloads].map(([key, history]) => [parseWorkloadKey(key), history] as const);
  }

  /** Keys that changed since the last call, with their current history. */
  takeChanges(): Map<string, WorkloadHistory | undefined> {
    const changes = new Map([...this.#changed].map((key) => [key, this.#workloads.get(key)]));
    this.#changed.clear();
    return changes;
  }

  /** Adds the stored history. Entries of this process take precedence, and come after the stored ones. */
  restore(stored: Iterable<readonly [key: string, history: WorkloadHistory]>): void {
    const own = [...this.#workloads];
    for (const [key, history] of stored) this.#keep(key, history);
    for (const [key, history] of own) {
      const before = this.#workloads.get(key)?.reloads ?? [];
      const older = before.filter(({ seq }) => history.reloads.every((entry) => entry.seq !== seq));
      this.#keep(key, { ...history, reloads: [...older, ...history.reloads].slice(-MOST_RELOADS) });
    }
  }

  reloaded({ plan, seenAt, undoes }: ReloadReport): void {
    const key = workloadKey(refOf(plan.workload));
    this.#seen.set(key, seenAt);
    const waited = rounded((plan.now - seenAt) / 1000);
    this.#append(key, {
      ...entryOf(plan),
      result: 'rolling',
      waited,
      ...(undoes !== undefined && { undoes }),
    });
  }

  failed({ plan }: ReloadReport, error: Error): void {
    const message = error.message.slice(0, LONGEST_MESSAGE);
    this.#append(workloadKey(refOf(plan.workload)), { ...entryOf(plan), result: 'refused', message });
  }

  deferred(workload: WorkloadFacts, _want: Want, { why, until, message }: Later): void {
    if (why === 'settling') return;
    const key = workloadKey(refOf(workload));
    const reloads = this.#workloads.get(key)?.reloads ?? [];
    this.#set(key, { reloads, held: { reason: why, ...(until !== undefined && { until }), message } });
  }

  rolledOut(workload: WorkloadFacts, seq: number, result: RolloutResult, message: string): void {
    const key = workloadKey(refOf(workload));
    const known = this.#workloads.get(key);
    const seenAt = this.#seen.get(key);
    this.#seen.delete(key);
    // A rollout that was reported as failed may still succeed.
    const isOpen = (entry: ReloadEntry): boolean =>
      entry.seq === seq && (entry.result === 'rolling' || (isFailed(entry) && result === 'succeeded'));
    if (!known?.reloads.some(isOpen)) return;
    const reloads = known.reloads.map((entry): ReloadEntry => {
      if (!isOpen(entry)) return entry;
      const { message: _, ...rest } = entry;
      const seconds = rounded((this.#now() - (seenAt ?? entry.at * 1000)) / 1000);
      const rollout = rounded(seconds - (entry.waited ?? 0));
      const shown = result !== 'succeeded' ? { message: message.slice(0, LONGEST_MESSAGE) } : {};
      return { ...rest, result, seconds, rollout, ...shown };
    });
    this.#set(key, { ...known, reloads });
  }

  restored(workload: WorkloadFacts, { seq, result }: RestoreReport): void {
    const key = workloadKey(refOf(workload));
    const known = this.#workloads.get(key);
    if (!known?.reloads.some((entry) => entry.seq === seq && isFailed(entry))) return;
    const reloads = known.reloads.map((entry) => (entry.seq === seq ? { ...entry, restore: result } : entry));
    this.#set(key, { ...known, reloads });
  }

  /** Recorded for the next leader, which must not send the alert again. */
  alerted(ref: WorkloadRef, seq: number): void {
    const key = workloadKey(ref);
    const known = this.#workloads.get(key);
    if (!known?.reloads.some((entry) => entry.seq === seq && !entry.alerted)) return;
    const reloads = known.reloads.map((entry) =>
      entry.seq === seq ? { ...entry, alerted: true as const } : entry,
    );
    this.#set(key, { ...known, reloads });
  }

  /** No change waits any more, and there was no reload. */
  released(ref: WorkloadRef): void {
    const known = this.#workloads.get(workloadKey(ref));
    if (!known?.held) return;
    const { held: _, ...rest } = known;
    this.#set(workloadKey(ref), rest);
  }

  forget(ref: WorkloadRef): void {
    const key = workloadKey(ref);
    this.#seen.delete(key);
    this.#drop(key);
  }

  #append(key: string, entry: ReloadEntry): void {
    const before = this.#workloads.get(key)?.reloads ?? [];
    // All retries of a reload are one entry.
    const others = before.filter(({ seq, result }) => seq !== entry.seq || result !== 'refused');
    this.#set(key, { reloads: [...others, entry].slice(-MOST_RELOADS) });
  }

  #set(key: string, history: WorkloadHistory): void {
    if (history.reloads.length === 0 && !history.held) {
      this.#drop(key);
      return;
    }
    this.#keep(key, history);
    this.#changed.add(key);
  }

  #keep(key: string, history: WorkloadHistory): void {
    this.#remove(key);
    const size = Buffer.byteLength(JSON.stringify(history)) + key.length;
    this.#workloads.set(key, history);
    this.#sizes.set(key, size);
    this.#bytes += size;
    for (const quiet of this.#workloads.keys()) {
      if (this.#bytes <= MOST_BYTES) return;
      if (quiet !== key) this.#drop(quiet);
    }
  }

  #drop(key: string): void {
    if (this.#remove(key)) this.#changed.add(key);
  }

  #remove(key: string): boolean {
    this.#bytes -= this.#sizes.get(key) ?? 0;
    this.#sizes.delete(key);
    return this.#workloads.delete(key);
  }
}

const isFailed = ({ result }: ReloadEntry): boolean => result === 'failed' || result === 'timeout';

/** Rounds to milliseconds; not below 0, because clocks may jump back. */
const rounded = (seconds: number): number => Math.max(0, Math.round(seconds * 1000) / 1000);

function entryOf({ seq, now, causes, configs }: ReloadReport['plan']): Omit<ReloadEntry, 'result'> {
  const sources = causes.map(({ ref: { kind, namespace, name } }) => `${kind} ${namespace}/${name}`);
  const more = sources.length - MOST_SOURCES;
  return {
    seq,
    at: Math.floor(now / 1000),
    sources: sources.slice(0, MOST_SOURCES),
    ...(more > 0 && { moreSources: more }),
    configs: [...configs],
  };
}
