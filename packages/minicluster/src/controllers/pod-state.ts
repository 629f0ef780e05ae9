/** Predicates on pods shared by all workload controllers. */
import type { IntOrPercent, Pod } from './types.ts';

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** Active: neither finished nor terminating. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

function readySince(pod: Pod): number | undefined {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return undefined;
  return ready.lastTransitionTime ? Date.parse(ready.lastTransitionTime) : 0;
}

export function isReady(pod: Pod): boolean {
  return readySince(pod) !== undefined;
}

/** Ready for `minReadySeconds`. The second value is the time until that may become true. */
export function availability(
  pod: Pod,
  minReadySeconds: number,
  now: number,
): { available: boolean; inMs?: number } {
  const since = readySince(pod);
  if (since === undefined) return { available: false };
  const left = since + minReadySeconds * 1000 - now;
  return left <= 0 || minReadySeconds === 0 ? { available: true } : { available: false, inMs: left };
}

export function countAvailable(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): { available: number; nextMs: number | undefined } {
  let available = 0;
  let nextMs: number | undefined;
  for (const pod of pods) {
    const state = availability(pod, minReadySeconds, now);
    if (state.available) available += 1;
    else if (state.inMs !== undefined) nextMs = Math.min(nextMs ?? Number.POSITIVE_INFINITY, state.inMs);
  }
  return { available, nextMs };
}

/** Scale-down order: first unscheduled, pending and unready pods, then the youngest. */
export function compareForDeletion(a: Pod, b: Pod): number {
  const rank = (pod: Pod): number =>
    (pod.spec.nodeName ? 4 : 0) + (pod.status?.phase === 'Running' ? 2 : 0) + (isReady(pod) ? 1 : 0);
  return (
    rank(a) - rank(b) ||
    b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp) ||
    a.metadata.name.localeCompare(b.metadata.name)
  );
}

/** A count or a percentage of `total`, rounded up or down. */
export function resolveCount(value: IntOrPercent | undefined, total: number, round: 'up' | 'down'): number {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  const exact = (Number.parseInt(value, 10) * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
