/** The peers on which the content to be rolled out has already failed. Pure. */
import { formatEntry, sourceOfLedgerKey } from '../ledger/ledger.ts';
import type { Verdict } from '../model/decision.ts';
import { contentName, type FailedElsewhere, type FailuresOf } from '../model/failed-content.ts';
import { isVerified } from '../model/verify.ts';
import { refOf, type WorkloadFacts, workloadKey } from '../model/workload.ts';

/**
 * Only for workloads that ask for `verify` themselves, and only peers in their namespace or config. A workload on which
 * the content has failed is not held, even if several have: one of them has to try that content again, and it has
 * already failed.
 */
export function failedElsewhere(
  workload: WorkloadFacts,
  { differences, reload }: Verdict,
  failures: FailuresOf | undefined,
): readonly FailedElsewhere[] {
  const verify = reload?.policy.verify;
  if (!verify || !failures || !isVerified(workload.kind)) return [];
  const own = workloadKey(refOf(workload));
  return differences.flatMap(({ key, next, reload: isChange }) => {
    const source = sourceOfLedgerKey(key, workload.metadata.namespace);
    if (!isChange || !next || !source) return [];
    const failed = failures(contentName(source, formatEntry(next)));
    if (failed.some((failure) => failure.workload === own)) return [];
    return failed
      .filter((failure) => verify.isPeer(failure.workload))
      .map((failure) => ({ ...failure, source }));
  });
}

/** A workload may be listed twice: by its outcome, and by its place earlier in the order. */
export function eachOnce(failures: readonly FailedElsewhere[]): readonly FailedElsewhere[] {
  const known = new Map(failures.toReversed().map((failure) => [failure.workload, failure]));
  return failures.filter((failure) => known.get(failure.workload) === failure);
}
