/**
 * Pauses a Deployment as Stakater Reloader does: `spec.paused` and an annotation with the start time, so that all
 * changes during the pause become one rollout at its end. Pure; the end is computed from the object alone and survives
 * a restart.
 */
import { type JsonPatchOperation, timestamp } from '@reloader/runtime';
import { parseGoDuration } from '../../go/duration.ts';
import type { AnnotationNames } from '../model/annotations.ts';
import type { ReloadPlan } from '../model/plan.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { type AnnotationChange, annotationOperations } from './ledger-operations.ts';
import { pointer, set, test } from './operations.ts';

const PAUSED = pointer('spec', 'paused');
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export interface Pause {
  readonly annotations: Readonly<Record<string, AnnotationChange>>;
  readonly operations: readonly JsonPatchOperation[];
}

/** Undefined if there is nothing to pause: not asked for, or already paused, by a user or by us. */
export function pauseWith(
  { workload, stakaterPauseMs = 0, now }: ReloadPlan,
  names: AnnotationNames,
): Pause | undefined {
  if (workload.kind !== 'Deployment' || stakaterPauseMs <= 0 || workload.rollout.paused) return undefined;
  const before = workload.annotations[names.pausedAt];
  return {
    annotations: { [names.pausedAt]: { before, after: timestamp(now) } },
    operations: [test(PAUSED, null), set(PAUSED, true)],
  };
}

/**
 * When our pause of this Deployment ends, in milliseconds since the epoch; undefined if we did not pause it. An invalid
 * start time, or an invalid or missing period, ends it at once (0): a Deployment must not stay paused because of us.
 */
export function resumeAt(workload: WorkloadFacts, names: AnnotationNames): number | undefined {
  const pausedAt = workload.annotations[names.pausedAt];
  if (workload.kind !== 'Deployment' || !workload.rollout.paused || !pausedAt) return undefined;
  const period = durationOf(workload.annotations[names.pausePeriod]);
  const begin = RFC3339.test(pausedAt) ? Date.parse(pausedAt) : Number.NaN;
  return period === undefined || Number.isNaN(begin) ? 0 : begin + period;
}

export function resumeOperations(workload: WorkloadFacts, names: AnnotationNames): JsonPatchOperation[] {
  const before = workload.annotations[names.pausedAt];
  return [
    ...annotationOperations(workload, { [names.pausedAt]: { before, after: undefined } }),
    test(PAUSED, true),
    set(PAUSED, false),
  ];
}

function durationOf(text: string | undefined): number | undefined {
  try {
    return text === undefined ? undefined : parseGoDuration(text);
  } catch {
    return undefined;
  }
}
