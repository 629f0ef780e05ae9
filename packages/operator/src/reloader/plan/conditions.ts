/** The conditions that the changes to be rolled out do not meet. Pure. */
import { type Measured, readCondition, STEPS_TOGETHER } from '../conditions/read.ts';
import type { UnmetCondition } from '../model/condition.ts';
import type { Verdict } from '../model/decision.ts';
import { sourceKey } from '../model/source.ts';
import { ALL_KEYS, keyDigestsOf, MOST_KEYS } from '../model/source-facts.ts';
import type { Want, WantedSource } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';

/** A reload rolls out all changes, so each changed source has to meet every condition that applies to it. */
export function unmetConditions(
  workload: WorkloadFacts,
  { sources }: Pick<Want, 'sources'>,
  { differences, reload }: Verdict,
): readonly UnmetCondition[] {
  const conditions = reload?.policy.conditions ?? [];
  if (conditions.length === 0) return [];
  const changed = new Set(differences.flatMap(({ key, reload: isChange }) => (isChange ? [key] : [])));
  const asking = sources.filter(({ key }) => changed.has(key));
  const unmet: UnmetCondition[] = [];
  let left: number = STEPS_TOGETHER;
  for (const condition of conditions) {
    for (const source of asking) {
      if (condition.config !== undefined && !source.configs.includes(condition.config)) continue;
      if (left <= 0) return [...unmet, { ...condition, source: source.ref, problem: TOGETHER }];
      const { verdict, steps } = judged(condition.text, source, workload);
      left -= steps;
      if ('problem' in verdict) {
        const problem = hasUnknownKeys(source) ? `${verdict.problem} (${UNKNOWN_KEYS})` : verdict.problem;
        unmet.push({ ...condition, source: source.ref, problem });
      } else if (!verdict.value) unmet.push({ ...condition, source: source.ref });
    }
  }
  return unmet;
}

const UNKNOWN_KEYS = `source.keys is not known of a source with more than ${MOST_KEYS} keys`;
const TOGETHER = 'the conditions of this workload take too much work together';

interface Judged extends Measured {
  /** The source that it was judged by, without its name: that is part of its place in the cache. */
  readonly labels: object;
  readonly digest: string;
}

/**
 * Expensive results, until the workload or the source changes: plans are made many times, and those of peers, too.
 * Evaluating a cheap condition again costs less than remembering it.
 */
const known = new WeakMap<WorkloadFacts, Map<string, Judged>>();
const EXPENSIVE_STEPS = 200;
const MET: Measured = { verdict: { value: true }, steps: 0 };

function judged(text: string, source: WantedSource, workload: WorkloadFacts): Measured {
  const { labels, digest } = contentOf(source);
  const place = `${sourceKey(source.ref)} ${text}`;
  const before = known.get(workload)?.get(place);
  if (before?.labels === labels && before.digest === digest) return before;
  const read = readCondition(text);
  // A text with a mistake is a problem of the policy, which holds the reload.
  if ('problem' in read) return MET;
  const result = read.measure({ source: sourceView(source), workload: workloadView(workload) });
  if (result.steps < EXPENSIVE_STEPS) return result;
  const own = known.get(workload) ?? new Map<string, Judged>();
  known.set(workload, own.set(place, { ...result, labels, digest }));
  return result;
}

const NO_LABELS: Readonly<Record<string, string>> = {};

/** A deleted source has its last labels, and no keys. */
function contentOf({ state }: WantedSource): {
  readonly labels: Readonly<Record<string, string>>;
  readonly digest: string;
} {
  if (state.kind === 'present') return state.facts;
  return {
    labels: (state.kind === 'gone' ? state.last?.labels : undefined) ?? NO_LABELS,
    digest: state.kind,
  };
}

/** Keys that are not known are left out: an empty list would make a condition true or false by mistake. */
function sourceView(source: WantedSource): Readonly<Record<string, unknown>> {
  const { kind, namespace, name } = source.ref;
  const { labels } = contentOf(source);
  const keys = hasUnknownKeys(source) ? {} : { keys: keysOf(source) };
  return { kind, namespace, name, labels, ...keys };
}

function keysOf({ state }: WantedSource): readonly string[] {
  return state.kind === 'present' ? [...keyDigestsOf(state.facts).keys()] : [];
}

function hasUnknownKeys({ state }: WantedSource): boolean {
  return state.kind === 'present' && keyDigestsOf(state.facts).has(ALL_KEYS);
}

function workloadView({
  kind,
  metadata: { namespace, name },
  labels,
  rollout: { wanted, available },
}: WorkloadFacts): Readonly<Record<string, unknown>> {
  return { kind, namespace, name, labels, replicas: wanted, available };
}
