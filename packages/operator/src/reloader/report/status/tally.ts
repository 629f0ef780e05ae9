/**
 * Reloads that this process made for each ReloaderConfig, and that the config's status has not counted yet.
 *
 * A ledger holds only its last five reloads, and a status is written at most a few times a second: further reloads in
 * between are kept here. After a crash only the ledgers are left.
 */
import type { RecentReload } from '../../model/ledger.ts';
import { type WorkloadFacts, type WorkloadRef, workloadKey } from '../../model/workload.ts';
import type { ReloadReport, Reporter } from '../reporter.ts';
import { refOf } from '../texts.ts';

export interface MadeReload extends Pick<RecentReload, 'seq' | 'at' | 'configs' | 'configIds'> {
  /** Key and uid of the workload. */
  readonly workload: string;
  readonly uid: string;
}

const MOST_PER_CONFIG = 10_000;

export class ReloadTally implements Partial<Reporter> {
  readonly #made = new Map<string, MadeReload[]>();
  /** Workloads with a running rollout of one of our reloads. */
  readonly #rolling = new Set<string>();

  /** For the config `namespace/name`, the oldest first. */
  made(config: string): readonly MadeReload[] {
    return this.#made.get(config) ?? [];
  }

  /** The status now includes these reloads. */
  counted(config: string, reloads: readonly MadeReload[]): void {
    const left = this.made(config).filter((made) => !reloads.includes(made));
    if (left.length > 0) this.#made.set(config, left);
    else this.#made.delete(config);
  }

  isRolling(ref: WorkloadRef): boolean {
    return this.#rolling.has(workloadKey(ref));
  }

  reloaded({ plan }: ReloadReport): void {
    const ref = refOf(plan.workload);
    this.#rolling.add(workloadKey(ref));
    if (plan.configs.length === 0) return;
    const { configs, seq, ledger } = plan;
    // As in the record, so that the same reload is recognized in both places.
    const recent = ledger.recent.find((each) => each.seq === seq);
    const made: MadeReload = {
      workload: workloadKey(ref),
      uid: plan.workload.metadata.uid,
      seq,
      at: recent?.at ?? Math.floor(plan.now / 1000),
      configs,
      ...(recent?.configIds && { configIds: recent.configIds }),
    };
    for (const config of plan.configs) {
      const list = this.#made.get(config) ?? [];
      if (list.length < MOST_PER_CONFIG) this.#made.set(config, [...list, made]);
    }
  }

  rolledOut(workload: WorkloadFacts): void {
    this.#rolling.delete(workloadKey(refOf(workload)));
  }

  forget(ref: WorkloadRef): void {
    this.#rolling.delete(workloadKey(ref));
  }

  forgetConfig(config: string): void {
    this.#made.delete(config);
  }
}
