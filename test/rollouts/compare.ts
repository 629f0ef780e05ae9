/** Rolls one plan out in two clusters and tells where they end differently. */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type PlanOptions, planOf, updatesIn, type Workload } from './plan.ts';
import type { Real } from './real.ts';
import type { Simulated } from './simulated.ts';
import { type Snapshot, stateOf } from './state.ts';

export interface Difference {
  readonly workload: string;
  /** What was done to it, up to the update that made the difference. */
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

/** How long nothing may change: once both agree, before a nudge, and how many nudges without effect mean the end. */
const QUIET_MS = 1_000;
const PATIENCE_MS = 3_000;
const VAIN_NUDGES = 4;
const POLL_MS = 250;

/** A workload that has once ended differently is left out from there on: nothing can be learned from it any more. */
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
 * Waits until the real cluster is where the simulated one is, and stays there; else until nothing helps any more.
 * Real controllers miss a wake-up now and then: a DaemonSet with maxSurge and minReadySeconds can sleep beside a new
 * pod that serves, because of two alarms for one key its queue keeps only the earlier. So sleepers are nudged.
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

/** What all steps have in common tells nothing. */
function withoutNoise(spec: Readonly<Record<string, unknown>>): object {
  const { selector: _, template, ...rest } = spec;
  const { containers } = (template as { spec: { containers: { image: string; env: unknown }[] } }).spec;
  return { ...rest, image: containers[0]?.image, env: containers[0]?.env };
}
