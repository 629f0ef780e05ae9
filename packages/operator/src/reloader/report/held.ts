/** Counts the workloads with a waiting change by reason, for the metric, and keeps each reason, for the history. */
import type { Metrics } from '@reloader/runtime';
import type { Want } from '../model/want.ts';
import { type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import { type Later, REASONS } from '../schedule/types.ts';
import type { EngineView, ReloadReport, Reporter } from './reporter.ts';
import { refOf } from './texts.ts';

export class HeldBack implements Partial<Reporter> {
  readonly #held = new Map<string, { readonly ref: WorkloadRef; readonly later: Later }>();
  readonly #clock: () => number;
  #view: EngineView | undefined;

  constructor(metrics: Metrics, clock: () => number) {
    this.#clock = clock;
    const gauge = metrics.gauge({
      name: 'reloader_deferred',
      help: 'Workloads with a change that waits to be rolled out, by reason',
      labelNames: ['reason'],
      initial: REASONS.map((reason) => ({ reason })),
    });
    const oldest = metrics.gauge({
      name: 'reloader_oldest_pending_seconds',
      help: 'For how long the oldest of the changes waits that have not been rolled out; 0 where none does',
    });
    const overdue = metrics.gauge({
      name: 'reloader_overdue',
      help: 'Workloads with a change that waits for longer than maxWait, or 30 days without one',
    });
    metrics.onScrape(() => {
      const now = this.now();
      for (const reason of REASONS) {
        gauge.set(now.filter(({ later }) => later.why === reason).length, { reason });
      }
      const ages = now.map(({ later }) => (clock() - later.since) / 1000);
      oldest.set(Math.max(0, ...ages));
      overdue.set(now.filter(({ later }) => isOverdue(later)).length);
    });
  }

  attach(view: EngineView): void {
    this.#view = view;
  }

  /**
   * The changes that wait now. A change that was reverted, or is no longer opted in to, ends without a report, so the
   * view is asked.
   */
  now(): { readonly ref: WorkloadRef; readonly later: Later }[] {
    const view = this.#view;
    if (!view) return [...this.#held.values()];
    const current: { readonly ref: WorkloadRef; readonly later: Later }[] = [];
    for (const [key, { ref }] of this.#held) {
      const later = view.deferred(ref);
      if (later) current.push({ ref, later });
      else this.#held.delete(key);
    }
    return current;
  }

  deferred(workload: WorkloadFacts, _want: Want, later: Later): void {
    const ref = refOf(workload);
    this.#held.set(workloadKey(ref), { ref, later });
  }

  wouldReload(workload: WorkloadFacts): void {
    const since = this.#clock();
    const later: Later = {
      kind: 'later',
      why: 'observing',
      until: undefined,
      message: 'observe mode',
      since,
      change: '',
    };
    this.#held.set(workloadKey(refOf(workload)), { ref: refOf(workload), later });
  }

  reloaded({ plan }: ReloadReport): void {
    this.#held.delete(workloadKey(refOf(plan.workload)));
  }

  forget(ref: WorkloadRef): void {
    this.#held.delete(workloadKey(ref));
  }
}

function isOverdue({ warnings = [] }: Later): boolean {
  return warnings.some(({ condition }) => condition === 'Overdue');
}
