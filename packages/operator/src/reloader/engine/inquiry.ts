/**
 * Requests the information that a plan lacks: the ages of pods, verdicts on contents.
 *
 * In: a workload and its plan. Out: the evidence of its pods, for the next plan; verdicts are stored where that plan
 * looks for them. The caller plans again itself, because there may be no await between a plan and taking its slot.
 */
import type { ContentQuestion } from '../model/content-rule.ts';
import type { Doubt, PodEvidence } from '../model/decision.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { Planned, Planner } from './planner.ts';

export interface InquiryOptions {
  readonly lookAtPods: (workload: WorkloadFacts, why: Doubt, signal: AbortSignal) => Promise<PodEvidence>;
  readonly checkContents: (questions: readonly ContentQuestion[], signal: AbortSignal) => Promise<void>;
}

/** If a content had changed before it was read, the workload is requeued after this, unless an event comes first. */
const CONTENT_CHECK_MS = 1_000;

export class Inquiry {
  readonly #options: InquiryOptions;
  readonly #planner: Pick<Planner, 'plan'>;

  constructor(options: InquiryOptions, planner: Pick<Planner, 'plan'>) {
    this.#options = options;
    this.#planner = planner;
  }

  async about(
    workload: WorkloadFacts,
    first: Planned,
    signal: AbortSignal,
  ): Promise<PodEvidence | undefined> {
    const { lookAtPods, checkContents } = this.#options;
    let planned = first;
    let pods: PodEvidence | undefined;
    if (planned.action.kind === 'ask-pods') {
      pods = await lookAtPods(workload, planned.action.doubt, signal);
      planned = this.#planner.plan(workload, pods);
    }
    if (lacksVerdict(planned)) await checkContents(planned.unchecked ?? [], signal);
    return pods;
  }
}

export function isLacking(planned: Planned): boolean {
  return planned.action.kind === 'ask-pods' || lacksVerdict(planned);
}

/** A content that is still settling may be replaced soon, so it is not checked yet. */
function lacksVerdict({ action, unchecked = [] }: Planned): boolean {
  if (unchecked.length === 0) return false;
  return action.kind === 'reload' || (action.kind === 'defer' && action.later.why !== 'settling');
}

/** A reload with unchecked content waits: only checked content is rolled out. */
export function withoutUnchecked(planned: Planned): Planned {
  if (planned.action.kind !== 'reload' || !lacksVerdict(planned)) return planned;
  return { ...planned, action: { kind: 'wait', afterMs: CONTENT_CHECK_MS } };
}
