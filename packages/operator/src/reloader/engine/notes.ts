/** Problems with the record of a workload, as reasons and messages for conditions and Events. */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Install, Verdict } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import { installationOf, type ReloaderSettings } from '../model/settings.ts';
import type { Problem } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import type { WorkloadView } from '../report/reporter.ts';
import { rolloutOf } from '../verify/rollout.ts';
import type { WorkloadState } from './state.ts';

type Notes = WorkloadView['notes'];

export interface Ours {
  readonly installation: string;
  /** Since when this process decides, in seconds since the epoch. */
  readonly since: number;
}

export function oursOf(settings: ReloaderSettings, { decidesSince }: Install): Ours {
  return { installation: installationOf(settings), since: decidesSince ?? Number.POSITIVE_INFINITY };
}

/** The other installation that made the last reload, if it did so while this process was running. */
export function otherInstallation(
  recorded: Pick<Ledger, 'installation' | 'reloadedAt'> | undefined,
  { installation, since }: Ours,
): string | undefined {
  const { installation: by, reloadedAt = 0 } = recorded ?? {};
  return by !== undefined && by !== installation && reloadedAt > since ? by : undefined;
}

export function notesOf(
  workload: WorkloadFacts,
  verdict: Verdict | undefined,
  state: WorkloadState | undefined,
  ours: Ours,
): Notes {
  const notes: { reason: string; message: string }[] = [];
  const other = otherInstallation(verdict?.recorded, ours);
  if (other !== undefined) {
    const message = `The Reloader ${other} reloads it as well as this one, ${ours.installation}: each change would be told twice, and settings contradict each other. Give each its own namespaces, or remove one`;
    notes.push({ reason: 'OtherInstallation', message });
  }
  // Without a verdict the pods have to be listed again. Until then their last evidence counts.
  const isHeld = (verdict ?? state?.memory)?.revertHeldAt !== undefined;
  if (verdict?.reverted || isHeld || (state?.memory.revertRetries ?? 0) > 0) {
    const what = `The template no longer carries reload ${verdict?.recorded?.seq ?? ''}`;
    const message = isHeld
      ? `${what}, nor does the workload its record: somebody undid the rollout or replaced the workload, and pods from before still run. The next change of a source is rolled out`
      : `${what}: another tool put an older one back while old pods were running`;
    notes.push({ reason: 'Reverted', message });
  }
  if (verdict?.tooManySources && verdict.tooManySources.length > 0) {
    const message = `${verdict.tooManySources.length} sources do not fit into the record and are not followed, the first is ${verdict.tooManySources[0]}`;
    notes.push({ reason: 'TooManySources', message });
  }
  const rollout = rolloutOf(workload);
  const waits = rollout.state === 'held' || (rollout.state === 'done' && rollout.waits !== undefined);
  if (waits && (verdict?.recorded?.seq ?? 0) > 0) {
    notes.push({ reason: 'WaitingForWorkload', message: rollout.message });
  }
  return notes;
}

/** The notes as problems for Events, the only place that an annotated workload has; a ReloaderConfig has conditions. */
export function problemsOf(
  workload: WorkloadFacts,
  verdict: Verdict | undefined,
  state: WorkloadState,
  ours: Ours,
): readonly Problem[] {
  const troubles = notesOf(workload, verdict, state, ours).map((note) => ({
    field: FIXED_ANNOTATIONS.ledger,
    ...note,
  }));
  const { why = '', warnings = [] } = state.deferred ?? {};
  return [...troubles, ...warnings.map(({ event, message }) => ({ field: why, reason: event, message }))];
}
