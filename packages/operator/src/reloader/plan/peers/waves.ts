/** Waves: a workload waits until the peers with a lower number have completed the same content. Pure. */
import type { FailedElsewhere } from '../../model/failed-content.ts';
import type { Turn } from '../../model/order.ts';
import type { SourceRef } from '../../model/source.ts';
import { type WorkloadRef, workloadKey } from '../../model/workload.ts';
import { MOST_AWAITED, namesOf } from './names.ts';
import { plannedStanding, recordedStanding, type Standing, type StandingInput } from './standing.ts';

export interface Earlier {
  readonly ref: WorkloadRef;
  readonly uid: string;
  readonly wave: number;
}

export function turnByWave(
  wave: number,
  earlier: readonly Earlier[],
  source: SourceRef,
  input: StandingInput,
): { readonly turn: Turn | undefined; readonly failures: readonly FailedElsewhere[] } {
  const awaited: { key: string; why: string; wave: number; unseen?: true | undefined }[] = [];
  const aside: { readonly key: string; readonly why: string }[] = [];
  const failures: FailedElsewhere[] = [];
  for (const { ref, uid, wave: number } of earlier) {
    const key = workloadKey(ref);
    const recorded = recordedStanding(ref, source, input);
    // One awaited peer is enough to wait: the others are not planned.
    const isEnough = recorded === 'differs' && awaited.length > 0;
    const standing = isEnough
      ? NOT_PLANNED
      : recorded === 'differs'
        ? plannedStanding(ref, source, input)
        : recorded;
    switch (standing.kind) {
      case 'pending':
        awaited.push({ key, why: standing.why, wave: number, unseen: standing.unseen });
        break;
      case 'running':
        awaited.push({ key, why: 'rolls out', wave: number });
        break;
      case 'aside':
        aside.push({ key, why: standing.why });
        break;
      case 'failed':
        failures.push({ workload: key, uid, seq: standing.seq, message: standing.message, source });
        break;
    }
  }
  const [first] = awaited;
  if (!first) return { turn: undefined, failures };
  // Peers that were not planned may be held for an unknown time, so they are counted and not named.
  const known = awaited.filter(({ why }) => why !== '');
  const others = awaited.length - known.length;
  const more = others > 0 ? `; ${others} more of lower waves do not have the change yet` : '';
  const besides = aside.length > 0 ? `; not waited for: ${namesOf(aside)}` : '';
  const message = `Wave ${wave} waits for wave ${first.wave}: ${namesOf(known)}${more}${besides}`;
  const peers = known.slice(0, MOST_AWAITED).map(({ key }) => key);
  return {
    turn: { message, until: undefined, peers, ...(first.unseen && { unfinished: true }) },
    failures,
  };
}

const NOT_PLANNED: Standing = { kind: 'pending', why: '' };
