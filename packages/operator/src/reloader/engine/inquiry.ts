/**
 * Finds out what a plan lacks: the ages of pods, verdicts on contents.
 *
 * In: a workload and its plan. Out: what its pods say, for the next plan; verdicts are where that plan looks for them.
 * Whoever asked plans again by itself, because nothing may be awaited between a plan and the slot that it takes.
 */
import type { ContentQuestion } from '../model/content-rule.ts';
import type { Doubt, PodEvidence } from '../model/decision.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { Planned, Planner } from './planner.ts';

export interface InquiryOptions {
  readonly lookAtPods: (workload: WorkloadFacts, why: Doubt, signal: AbortSignal) => Promise<PodEvidence>;
  readonly checkContents: (questions: readonly ContentQuestion[], signal: AbortSignal) => Promise<void>;
}

/** A content that was another one when it was read is looked at again then, if no event comes earlier. */
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

/** While it settles, the next content may be there before anybody has looked at this one. */
function lacksVerdict({ action, unchecked = [] }: Planned): boolean {
  if (unchecked.length === 0) return false;
  return action.kind === 'reload' || (action.kind === 'defer' && action.later.why !== 'settling');
}

/** Nothing is rolled out that nobody has looked at. */
export function withoutUnchecked(planned: Planned): Planned {
  if (planned.action.kind !== 'reload' || !lacksVerdict(planned)) return planned;
  return { ...planned, action: { kind: 'wait', afterMs: CONTENT_CHECK_MS } };
}
