/** Decides which pods are old, and which of them is evicted next. Pure. */
import type { OwnedPod } from '../evidence/owned-pods.ts';
import { type Evicted, formatEviction } from '../ledger/eviction.ts';
import type { WorkloadFacts } from '../model/workload.ts';

export interface Beginning {
  readonly note: string;
  /** Seconds since the epoch, by the API server's clock: pods created before are old. */
  readonly start: number;
  /** Delay of the first eviction. */
  readonly waitMs: number;
}

/** How far our clock may be ahead of the API server's. */
const SKEW_MS = 5_000;
const ONE_SECOND_MS = 1_000;

/**
 * The start follows from the pods' creation times, which are from the API server's clock: all living pods are old.
 * Creation times are whole seconds, so a replacement must not be created within the second of the youngest old pod.
 */
export function beginning(pods: readonly OwnedPod[], evicted: Evicted, now: number): Beginning | undefined {
  if (pods.length === 0) return undefined;
  const start = Math.max(...pods.map(({ createdAt }) => createdAt)) + 1;
  const waitMs = now >= start * 1000 + SKEW_MS ? 0 : ONE_SECOND_MS;
  return { note: formatEviction(evicted, start), start, waitMs };
}

export function nextToEvict(
  pods: readonly OwnedPod[],
  start: number,
  { kind, rollout }: Pick<WorkloadFacts, 'kind' | 'rollout'>,
): OwnedPod | 'none' | { readonly waitFor: string } {
  const old = pods.filter(({ createdAt }) => createdAt < start);
  const [first] = old.toSorted(kind === 'StatefulSet' ? byOrdinal : byReadiness);
  if (!first) return 'none';
  // Evicting an unready pod costs no capacity, and it may need the new values to become ready.
  if (!first.ready) return first;
  const missing = rollout.wanted - pods.length;
  if (missing > 0) return { waitFor: `${missing} of ${rollout.wanted} pods are not there yet` };
  const unready = pods.find(({ createdAt, ready }) => createdAt >= start && !ready);
  return unready ? { waitFor: `pod ${unready.name} is not ready yet` } : first;
}

function ordinalOf({ name }: OwnedPod): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}

/** The highest first. */
function byOrdinal(a: OwnedPod, b: OwnedPod): number {
  return ordinalOf(b) - ordinalOf(a);
}

/** Unready pods first, then the oldest. */
function byReadiness(a: OwnedPod, b: OwnedPod): number {
  return Number(a.ready) - Number(b.ready) || a.createdAt - b.createdAt || (a.name < b.name ? -1 : 1);
}
