/**
 * When a decided reload may happen: now, or later and why. Pure: a function of the policy, the pending change, the
 * ledger's times and the clock, so that `explain` prints exactly what would happen.
 *
 * No gate drops a reload: each holds it until it opens. Of several closed gates, the one that has to open first is
 * shown: those that only users can open before those that time opens, of times the latest, and other workloads last.
 */
import { approval, approvedOther } from './gates/approval.ts';
import { capped } from './gates/capped.ts';
import { condition } from './gates/condition.ts';
import { invalidContent } from './gates/content.ts';
import { counting, doubt } from './gates/doubt.ts';
import { failedOnPeer } from './gates/failed-elsewhere.ts';
import type { Gate } from './gates/gate.ts';
import { firstChange } from './gates/gate.ts';
import { canary, wave } from './gates/order.ts';
import { frozen, invalid, observing } from './gates/people.ts';
import { rate } from './gates/rate.ts';
import { refused } from './gates/refused.ts';
import { batching, paused, settling } from './gates/waits.ts';
import { impossible, overdue, overdueAt, window } from './gates/windows.ts';
import type { Held, Later, Schedule, ScheduleInput, Warning, Why } from './types.ts';

/**
 * In stages: a later stage is not shown while an earlier one holds. Within a stage, the first gate is the strongest
 * reason.
 */
const STAGES: readonly (readonly Gate[])[] = [
  [frozen],
  [observing],
  [invalid, impossible, invalidContent],
  [condition],
  [doubt],
  [refused],
  [failedOnPeer],
  [approval],
  [window, rate, paused, batching, settling, counting],
  [wave],
  [canary],
  [capped],
];

/** Reasons to wait that no `now` ends. */
export const DEAF_TO_NOW: ReadonlySet<Why> = new Set(
  STAGES.flat()
    .filter(({ yieldsToNow }) => !yieldsToNow)
    .map(({ why }) => why),
);

/** The stages before those that depend on other workloads. */
const OWN_STAGES = STAGES.slice(
  0,
  STAGES.findIndex((stage) => stage.includes(failedOnPeer)),
);

/** True if a stage holds the reload that comes before all that depend on other workloads. */
export function isHeldByItself(input: Omit<ScheduleInput, 'order' | 'failures'>): boolean {
  return OWN_STAGES.some((stage) => stage.some((gate) => heldBy(gate, input)));
}

/** Other workloads have their turn in between. */
const CONTINUE_MS = 1;

export function schedule(input: ScheduleInput): Schedule {
  const all: Held[] = [];
  for (const stage of STAGES) {
    const held: Held[] = [];
    for (const gate of stage) {
      const each = heldBy(gate, input);
      if (each) held.push(each);
    }
    all.push(...held.sort(longestFirst));
  }
  const [first, ...more] = all;
  return first ? laterBecause(first, more, input) : { kind: 'now' };
}

function heldBy(gate: Gate, input: ScheduleInput): Held | undefined {
  // A reload that has begun is finished: stopping halfway would leave a workload with old and new pods.
  if (input.begun && !gate.stopsWhatBegan) return undefined;
  if (input.change.word === 'now' && gate.yieldsToNow) return undefined;
  const held = gate.check(input);
  if (!held || (held.until !== undefined && held.until <= input.now)) return undefined;
  return { why: gate.why, ...held };
}

function longestFirst(a: Held, b: Held): number {
  const endless = Number.POSITIVE_INFINITY;
  const [one, other] = [a.until ?? endless, b.until ?? endless];
  return one === other ? 0 : other - one;
}

/**
 * A change gets its id when it has settled, and only then a user is asked to approve it. The user is asked at that time
 * and not when a window opens, which may be at night.
 */
function asksAt({ change, now }: ScheduleInput, also: readonly Held[]): number | undefined {
  if (!change.needsApproval || change.word !== undefined) return undefined;
  return also.find(({ why, until = 0 }) => why === 'settling' && until > now)?.until;
}

function laterBecause(first: Held, also: readonly Held[], input: ScheduleInput): Later {
  const { now } = input;
  const due = overdueAt(input);
  // Settling ends within moments, however long the change waited before.
  const isOnlyMoment = first.why === 'settling';
  const warnings: Warning[] = [first, ...also].flatMap(({ warnings: own = [] }) => own);
  if (!isOnlyMoment) warnings.push(...approvedOther(input.change));
  if (!isOnlyMoment && due <= now) warnings.push(overdue(input, first.message));
  const lookAt = first.unfinished ? now + CONTINUE_MS : Math.min(due, asksAt(input, also) ?? due);
  return {
    kind: 'later',
    ...first,
    change: input.change.id,
    since: firstChange(input),
    ...(lookAt > now && { lookAt }),
    ...(warnings.length > 0 && { warnings }),
    ...(also.length > 0 && { also }),
  };
}
