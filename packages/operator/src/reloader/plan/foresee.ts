/** What would become of a plan in time: each wait ends in another look, until it reloads, or nobody can say when. */
import type { Later } from '../schedule/types.ts';
import type { Plan } from './action.ts';
import { type PlanInput, plan } from './plan.ts';

export interface Foresight {
  readonly plan: Plan;
  /** Milliseconds since the epoch; undefined: until something happens that nobody can foretell. */
  readonly at: number | undefined;
  readonly waits: readonly Later[];
}

/** More gates than there are, each after the other: whoever has to wait for more is not foretold. */
const MOST_WAITS = 20;

export function foresee(input: PlanInput): Foresight {
  const first = plan(input);
  const waits: Later[] = [];
  let { now } = input;
  let { action, memory } = first;
  while (action.kind === 'defer') {
    const { later } = action;
    // A gate that is closed again when it should have opened has not been looked at to its end, and may never open.
    const isAgain = later.why === waits.at(-1)?.why;
    waits.push(later);
    const { until, since, change, orLater } = later;
    if (until === undefined || orLater || isAgain || waits.length >= MOST_WAITS) {
      // Nobody can say what comes then, but what holds it besides is known.
      waits.push(...(later.also ?? []).map((held) => ({ kind: 'later' as const, ...held, since, change })));
      return { plan: first, at: undefined, waits };
    }
    now = until;
    ({ action, memory } = plan({ ...input, memory, now }));
  }
  return { plan: first, at: now, waits };
}
