/** The simulated controllers alone: 200 random updates, every deletion of a pod checked. */
import { createRandom } from '@reloader/runtime/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { planOf, updatesIn, type Workload } from './plan.ts';
import { Simulated } from './simulated.ts';
import { stateOf } from './state.ts';

vi.setConfig({ testTimeout: 60_000 });
const seed = Number(process.env.SEED ?? 1);
const STEPS = 10;

let simulated: Simulated | undefined;
afterEach(async () => {
  await simulated?.stop();
  simulated = undefined;
});

/** Rolls the plan out, and calls `between` between two steps. */
async function rollOut(between: (cluster: Simulated) => Promise<void>): Promise<[Simulated, Workload[]]> {
  const cluster = await Simulated.start(seed);
  simulated = cluster;
  const workloads = planOf({ seed, workloads: 24, steps: STEPS });
  for (let round = 0; round <= STEPS; round++) {
    for (const workload of workloads) {
      const step = workload.steps[round];
      if (step) await cluster.apply(workload, step);
    }
    await between(cluster);
  }
  return [cluster, workloads];
}

const countUpdates = (workloads: readonly Workload[]): number =>
  workloads.reduce((sum, { steps }) => sum + updatesIn(steps), 0);

describe(`200 random updates never break maxUnavailable (SEED=${seed})`, () => {
  test('when each rollout ends, or gets stuck, before the next begins', async () => {
    const [{ availability }, workloads] = await rollOut(async (cluster) => {
      await cluster.settle();
      const snapshot = await cluster.snapshot();
      for (const workload of planOf({ seed, workloads: 24, steps: STEPS })) {
        expect(stateOf(workload, snapshot)).toMatchObject({ observed: true });
      }
    });
    expect(countUpdates(workloads)).toBeGreaterThanOrEqual(190);
    expect(availability.violations).toEqual([]);
    expect(availability.judged).toBeGreaterThan(100);
  });

  test('when the next update comes in the middle of the rollout before it', async () => {
    const random = createRandom(seed);
    const [cluster] = await rollOut(({ clock }) => clock.advance(random.int(120)));
    await cluster.settle();
    expect(cluster.availability.violations).toEqual([]);
    expect(cluster.availability.judged).toBeGreaterThan(30);
  });
});
