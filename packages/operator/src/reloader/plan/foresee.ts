/** Predicts a plan: moves the time to the end of each wait and plans again, until it reloads or the time is unknown. */
import type { Later } from '../schedule/types.ts';
import type { Plan } from './action.ts';
import { type PlanInput, plan } from './plan.ts';

export interface Foresight {
  readonly plan: Plan;
  /** Milliseconds since the epoch; undefined: it waits for an event whose time is unknown. */
  readonly at: number | undefined;
  readonly waits: readonly Later[];
}

/** More than there are gates: a longer chain of waits is not predicted. */
const MOST_WAITS = 20;

export function foresee(input: PlanInput): Foresight {
  const steps = foreseeing(input);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Stops after each plan, so that the caller can let other work run: a plan may take some milliseconds. */
export function* foreseeing(asked: PlanInput): Generator<void, Foresight> {
  const input: PlanInput = { ...asked, showsOrder: true };
  const first = yield* finished(input);
  const waits: Later[] = [];
  let { now } = input;
  let { action, memory } = first;
  while (action.kind === 'defer') {
    const { later } = action;
    // A gate that is still closed at the time it named may never open: stop here.
    const isAgain = later.why === waits.at(-1)?.why;
    waits.push(later);
    const { until, since, change, orLater } = later;
    if (until === undefined || orLater || isAgain || waits.length >= MOST_WAITS) {
      // The time is unknown, but the other gates that hold the reload are known.
      waits.push(...(later.also ?? []).map((held) => ({ kind: 'later' as const, ...held, since, change })));
      return { plan: first, at: undefined, waits };
    }
    now = until;
    ({ action, memory } = yield* finished({ ...input, memory, now }));
  }
  return { plan: first, at: now, waits };
}

/** Plans until all peers were looked at. Each plan looks at some, and remembers them. */
function* finished(input: PlanInput): Generator<void, Plan> {
  for (;;) {
    const made = plan(input);
    yield;
    if (made.action.kind !== 'defer' || !isUnfinished(made.action.later)) return made;
  }
}

function isUnfinished({ unfinished, also = [] }: Later): boolean {
  return unfinished === true || also.some((held) => held.unfinished);
}
