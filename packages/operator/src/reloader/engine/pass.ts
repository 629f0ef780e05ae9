import type { Result } from '@reloader/runtime';
import type { Want } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { type Action, verdictOf } from '../plan/action.ts';
import type { WorkloadState } from './state.ts';

/** One workload in one pass. */
export interface Pass {
  readonly key: string;
  readonly workload: WorkloadFacts;
  readonly want: Want;
  readonly state: WorkloadState;
  readonly now: number;
  readonly signal: AbortSignal;
}

/** A reload was decided, made now or deferred. */
export function isReload(action: Action | undefined): boolean {
  return action !== undefined && verdictOf(action)?.action === 'reload' && action.kind !== 'leave';
}

export function isIdle(action: Action | undefined): boolean {
  return action?.kind !== 'record' && action?.kind !== 'reload' && action?.kind !== 'defer';
}

export function soonest(one: Result, other: Result): Result {
  if (one.requeue || other.requeue) return { requeue: true };
  const times = [one.requeueAfterMs, other.requeueAfterMs].filter((time) => time !== undefined);
  return times.length === 0 ? {} : { requeueAfterMs: Math.min(...times) };
}
