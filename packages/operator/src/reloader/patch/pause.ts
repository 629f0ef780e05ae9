/**
 * Pausing a Deployment the Stakater way: `spec.paused` with the time it began, so that all changes of the window land
 * in one rollout at its end. Pure; the end is computed from the object alone and so survives any restart.
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

/** Undefined where nothing is to be paused: not asked for, or paused already, by a person or by us. */
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
 * When our pause of this Deployment ends, in milliseconds since the epoch; undefined where we paused nothing. A time or
 * a period that cannot be read, or is gone, ends it at once (0): a Deployment must not stay paused because of us.
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
