/**
 * Log lines about reloads. The log has no digest of a Secret: the logged hash is an HMAC of the digest with a random
 * key of this process, so it only tells whether two contents in the same log are equal.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { type Logger, timestamp } from '@reloader/runtime';
import type { Verdict } from '../model/decision.ts';
import { MOST_DOUBTS } from '../model/doubts.ts';
import type { RestoreReport } from '../model/restore.ts';
import type { SourceKind } from '../model/source.ts';
import type { Problem, Want } from '../model/want.ts';
import { type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { Later } from '../schedule/types.ts';
import { Once } from './once.ts';
import type { PipelineReporter, ReloadReport, RolloutResult } from './reporter.ts';
import { causesText, refOf } from './texts.ts';

export class LogLines implements Partial<PipelineReporter> {
  readonly #logger: Logger;
  readonly #problems = new Once();
  readonly #deferrals = new Once();
  readonly #key = randomBytes(16);

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  sourceChanged(
    kind: SourceKind,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    oldHash: string | undefined,
    newHash: string | undefined,
    workloads: number,
    ownMaking = false,
  ): void {
    if (oldHash === newHash || ownMaking) return;
    const about = { namespace, name };
    const told = (hash: string): string => (kind === 'Secret' ? this.#blinded(hash) : hash);
    if (oldHash === undefined) {
      if (newHash !== undefined) this.#logger.debug(`${kind} created`, { ...about, newHash: told(newHash) });
    } else if (newHash === undefined)
      this.#logger.info(`${kind} deleted`, { ...about, oldHash: told(oldHash) });
    else
      this.#logger.info(`${kind} data changed`, {
        ...about,
        oldHash: told(oldHash),
        newHash: told(newHash),
      });
    if (workloads === 0) return;
    this.#logger.info('Found targets for reload', { ...about, kind, totalTargets: workloads });
  }

  #blinded(hash: string): string {
    return createHmac('sha256', this.#key).update(hash).digest('hex').slice(0, 12);
  }

  reloaded({ plan, undoes }: ReloadReport): void {
    this.#deferrals.forget(workloadKey(refOf(plan.workload)));
    const what = undoes === undefined ? 'Successfully triggered reload' : 'Undid a reload that had failed';
    this.#logger.info(what, {
      ...refOf(plan.workload),
      ...(undoes !== undefined && { undoes }),
      because: causesText(plan),
      strategy: plan.rolloutStrategy === 'restart' ? 'restart' : plan.reloadStrategy,
      seq: plan.seq,
      ...(plan.configs.length > 0 && { configs: plan.configs }),
    });
  }

  failed({ plan }: ReloadReport, error: Error, final: boolean): void {
    const message = final ? 'Reload failed until something changes' : 'Reload failed, it will be tried again';
    this.#logger.error(message, { ...refOf(plan.workload), because: causesText(plan), error });
  }

  deferred(workload: WorkloadFacts, _want: Want, { why, until, message }: Later): void {
    if (!this.#deferrals.isNew(workloadKey(refOf(workload)), `${why} ${until}`)) return;
    const values = {
      ...refOf(workload),
      reason: why,
      ...(until !== undefined && { until: timestamp(until) }),
      because: message,
    };
    if (why === 'settling') this.#logger.debug('Waiting until nothing changes any more', values);
    else if (why === 'paused') this.#logger.info('Skipping reload - workload is paused', values);
    else this.#logger.info('Holding back a reload', values);
  }

  manyDoubts(): void {
    this.#logger.warn(
      'ManyDoubts: what pods run with is recorded nowhere, and by times alone many workloads would restart. They are held; "reloader status" lists them, "reloader approve --doubts" releases them',
      { moreThan: MOST_DOUBTS },
    );
  }

  recorded(workload: WorkloadFacts, { because, foreignSlots }: Verdict): void {
    const values = { ...refOf(workload), ...(because && { because }), ...(foreignSlots && { foreignSlots }) };
    this.#logger.debug('Recorded without a restart', values);
  }

  wouldReload(workload: WorkloadFacts, { reload }: Verdict): void {
    const because = causesText({ causes: reload?.causes ?? [] });
    this.#logger.info('Would reload', { ...refOf(workload), because });
  }

  problems(workload: WorkloadFacts, problems: readonly Problem[]): void {
    const key = workloadKey(refOf(workload));
    if (problems.length === 0) this.#problems.forget(key);
    else if (!this.#problems.isNew(key, JSON.stringify(problems))) return;
    for (const { field, reason, message: problem } of problems) {
      this.#logger.warn('A problem with this workload', {
        ...refOf(workload),
        field,
        reason,
        problem,
      });
    }
  }

  rolledOut(
    workload: WorkloadFacts,
    seq: number,
    result: RolloutResult,
    message: string,
    verifiedMs?: number,
  ): void {
    const values = { ...refOf(workload), seq, state: message };
    if (result === 'superseded') this.#logger.info('The outcome of a reload stays unknown', values);
    else if (result !== 'succeeded') this.#logger.warn('The rollout after a reload failed', values);
    else this.#logger.info(verifiedMs === undefined ? 'Rolled out' : 'Rolled out and verified', values);
  }

  restored(workload: WorkloadFacts, { result, seq, message }: RestoreReport): void {
    const values = { ...refOf(workload), seq, because: message };
    if (result === 'restored') this.#logger.info('Put sources back after a reload that failed', values);
    else if (result === 'refused')
      this.#logger.warn('Sources of a reload that failed are not put back', values);
    else this.#logger.warn('What was put back was written again', values);
  }

  forget(ref: WorkloadRef): void {
    this.#problems.forget(workloadKey(ref));
    this.#deferrals.forget(workloadKey(ref));
  }
}
