/** Rolls one plan out in two clusters and reports where their end states differ. */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type PlanOptions, planOf, updatesIn, type Workload } from './plan.ts';
import type { Real } from './real.ts';
import type { Simulated } from './simulated.ts';
import { type Snapshot, stateOf } from './state.ts';

export interface Difference {
  readonly workload: string;
  /** Its steps, up to the update that made the difference. */
  readonly steps: readonly string[];
  readonly simulated: unknown;
  readonly real: unknown;
}

export interface Comparison {
  readonly updates: number;
  /** How often a real controller had to be nudged. */
  readonly nudges: number;
  readonly differences: readonly Difference[];
}

/** How long nothing may change once both agree, and before a nudge; and how many nudges without effect end the wait. */
const QUIET_MS = 1_000;
const PATIENCE_MS = 3_000;
const VAIN_NUDGES = 4;
const POLL_MS = 250;

/** A workload that once ended differently is left out from there on: its later states say nothing. */
export async function compare(options: PlanOptions, simulated: Simulated, real: Real): Promise<Comparison> {
  let workloads: readonly Workload[] = planOf(options);
  const differences: Difference[] = [];
  let updates = 0;
  for (let round = 0; round <= options.steps; round++) {
    for (const subject of [simulated, real]) {
      for (const workload of workloads) {
        const step = workload.steps[round];
        if (step) await subject.apply(workload, step);
      }
    }
    for (const { steps } of workloads) updates += updatesIn(steps.slice(Math.max(0, round - 1), round + 1));
    await simulated.settle();
    const expected = await simulated.snapshot();
    const actual = await reached(workloads, expected, real);
    const differing = workloads.filter((workload) => !isSame(workload, expected, actual));
    for (const workload of differing) {
      differences.push({
        workload: workload.name,
        steps: workload.steps
          .slice(0, round + 1)
          .map(({ changed, spec }) => `${changed}: ${JSON.stringify(withoutNoise(spec))}`),
        simulated: stateOf(workload, expected),
        real: stateOf(workload, actual),
      });
    }
    workloads = workloads.filter((workload) => !differing.includes(workload));
  }
  return { updates, differences, nudges: real.nudges };
}

/**
 * Waits until the real cluster has reached the state of the simulated one and stays there; otherwise until nudges have
 * no effect. Real controllers sometimes miss a wake-up: a DaemonSet with maxSurge and minReadySeconds can stall beside
 * a new pod that serves, because of two timers for one key its queue keeps only the earlier. So the test nudges them.
 */
async function reached(workloads: readonly Workload[], expected: Snapshot, real: Real): Promise<Snapshot> {
  let last: unknown;
  let changedAt = performance.now();
  let nudges = 0;
  for (;;) {
    const actual = await real.snapshot();
    const states = workloads.map((workload) => stateOf(workload, actual));
    const now = performance.now();
    if (!isDeepStrictEqual(states, last)) {
      changedAt = now;
      nudges = 0;
    }
    last = states;
    const differing = workloads.filter((workload) => !isSame(workload, expected, actual));
    if (differing.length === 0 && now - changedAt >= QUIET_MS) return actual;
    if (differing.length > 0 && now - changedAt >= PATIENCE_MS * (nudges + 1)) {
      if (nudges === VAIN_NUDGES) return actual;
      nudges += 1;
      for (const workload of differing) await real.nudge(workload);
    }
    await delay(POLL_MS);
  }
}

function isSame(workload: Workload, expected: Snapshot, actual: Snapshot): boolean {
  return isDeepStrictEqual(stateOf(workload, expected), stateOf(workload, actual));
}

/** Leaves out the fields that all steps have in common. */
function withoutNoise(spec: Readonly<Record<string, unknown>>): object {
  const { selector: _, template, ...rest } = spec;
  const { containers } = (template as { spec: { containers: { image: string; env: unknown }[] } }).spec;
  return { ...rest, image: containers[0]?.image, env: containers[0]?.env };
}
