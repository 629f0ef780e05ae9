/** The conditions that the changes to be rolled out do not meet. Pure. */
import { readCondition } from '../conditions/read.ts';
import type { UnmetCondition } from '../model/condition.ts';
import type { Verdict } from '../model/decision.ts';
import { ALL_KEYS, keyDigestsOf } from '../model/source-facts.ts';
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
  return conditions.flatMap((condition) => {
    const read = readCondition(condition.text);
    if ('problem' in read) return [];
    return asking
      .filter(({ configs }) => condition.config === undefined || configs.includes(condition.config))
      .flatMap((source): UnmetCondition[] => {
        const verdict = read.evaluate({ source: sourceView(source), workload: workloadView(workload) });
        if ('problem' in verdict) return [{ ...condition, source: source.ref, problem: verdict.problem }];
        return verdict.value ? [] : [{ ...condition, source: source.ref }];
      });
  });
}

/** A deleted source has its last labels, and no keys. */
function sourceView({ ref, state }: WantedSource): Readonly<Record<string, unknown>> {
  const { kind, namespace, name } = ref;
  const labels =
    state.kind === 'present' ? state.facts.labels : state.kind === 'gone' ? (state.last?.labels ?? {}) : {};
  const keys = state.kind === 'present' ? [...keyDigestsOf(state.facts).keys()] : [];
  return { kind, namespace, name, labels, keys: keys.filter((key) => key !== ALL_KEYS) };
}

function workloadView({
  kind,
  metadata: { namespace, name },
  labels,
  rollout: { wanted, available },
}: WorkloadFacts): Readonly<Record<string, unknown>> {
  return { kind, namespace, name, labels, replicas: wanted, available };
}
