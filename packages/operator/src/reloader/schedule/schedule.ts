/**
 * When a reload that was decided may happen: now, or later and why. Pure: a function of the policy, what waits, the
 * ledger's times and the clock, so that what `explain` prints is what would happen.
 *
 * Nothing here drops a reload. A switch (freeze, observe) holds it until somebody turns it off; a time holds it until
 * that time; the cap holds it until another rollout has ended, but never the way out of a failed one.
 */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Policy } from '../model/want.ts';
import { parseWorkloadKey } from '../model/workload.ts';
import type { Later, Schedule, ScheduleInput } from './types.ts';

export function schedule(input: ScheduleInput): Schedule {
  const { policy, workload, mode, unfinished, maxUnfinished, passesCap, now } = input;
  if (policy.frozen) {
    return later('frozen', undefined, freezeMessage(policy.frozen, workload.metadata.namespace));
  }
  if (mode === 'observe') {
    return later('observing', undefined, 'Observe mode: start with --mode=reload to reload for this change');
  }
  const [longest] = waits(input)
    .filter(({ until }) => until > now)
    .sort((a, b) => b.until - a.until);
  if (longest) return longest;
  if (maxUnfinished > 0 && unfinished.length >= maxUnfinished && !passesCap) {
    return later('capped', undefined, cappedMessage(unfinished, maxUnfinished));
  }
  return { kind: 'now' };
}

type Wait = Later & { readonly until: number };

/** Everything that holds for a time, the strongest reason first: of two that end together it is the one to show. */
function waits(input: ScheduleInput): Wait[] {
  const { policy, pending, recorded } = input;
  const { settleMs, settleMaxMs, batchWindowMs, pauseMs, pausedBy } = policy;
  const first = firstChange(input);
  const found: Wait[] = [];
  if (pauseMs > 0 && recorded?.reloadedAt !== undefined) {
    const until = recorded.reloadedAt * 1000 + pauseMs;
    const message = `Paused for ${seconds(pauseMs)} after the last reload (${pausedBy})`;
    found.push(wait('paused', until, message));
  }
  if (batchWindowMs > 0) {
    const names = `annotation ${FIXED_ANNOTATIONS.batchWindow}, batchWindow or --batch-window`;
    const message = `Collects changes for ${seconds(batchWindowMs)} from the first one (${names})`;
    found.push(wait('batching', first + batchWindowMs, message));
  }
  if (settleMs > 0) {
    const until = Math.min(pending.lastSeen + settleMs, first + settleMaxMs);
    const names = `annotation ${FIXED_ANNOTATIONS.settle}, settle or --settle`;
    const message = `Waits until nothing changes for ${seconds(settleMs)}, ${seconds(settleMaxMs)} at most (${names})`;
    found.push(wait('settling', until, message));
  }
  return found;
}

/** The ledger remembers it across restarts, but only the second: what we saw ourselves is more exact. */
function firstChange({ pending, recorded }: ScheduleInput): number {
  const stored = recorded?.pendingSince;
  if (stored === undefined || (stored + 1) * 1000 > pending.firstSeen) return pending.firstSeen;
  return stored * 1000;
}

function later(why: Later['why'], until: number | undefined, message: string): Later {
  return { kind: 'later', why, until, message };
}

function wait(why: Later['why'], until: number, message: string): Wait {
  return { kind: 'later', why, until, message };
}

function freezeMessage(frozen: NonNullable<Policy['frozen']>, namespace: string): string {
  const where = {
    workload: 'the workload',
    namespace: `Namespace ${namespace}`,
    cluster: "the operator's Namespace, which freezes the whole cluster",
  }[frozen];
  return `Frozen by annotation ${FIXED_ANNOTATIONS.freeze} on ${where}: remove it to reload`;
}

const MOST_NAMED = 3;

function cappedMessage(unfinished: readonly string[], most: number): string {
  const names = unfinished.slice(0, MOST_NAMED).map((key) => {
    const { kind, namespace, name } = parseWorkloadKey(key);
    return `${kind} ${namespace}/${name}`;
  });
  const more = unfinished.length > MOST_NAMED ? ` and ${unfinished.length - MOST_NAMED} more` : '';
  return `--max-unfinished-rollouts allows ${most} at a time: waits for ${names.join(', ')}${more}`;
}

function seconds(ms: number): string {
  return `${ms / 1000}s`;
}
