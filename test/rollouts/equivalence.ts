/** The comparison as a test, for the short run and for the long one. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useControlPlane } from '../control-plane/vitest.ts';
import { compare } from './compare.ts';
import { Real } from './real.ts';
import { Simulated } from './simulated.ts';

export interface Extent {
  readonly workloads: number;
  readonly steps: number;
  /** The least number of updates among the steps for the run to count. */
  readonly updates: number;
  readonly timeoutMs: number;
}

export function testEquivalence({ workloads, steps, updates: wanted, timeoutMs }: Extent): void {
  const cluster = useControlPlane({ workloads: true });
  const seed = Number(process.env.SEED ?? 1);
  let simulated: Simulated | undefined;
  let real: Real | undefined;
  beforeAll(async () => {
    simulated = await Simulated.start(seed);
    real = await Real.prepare(cluster());
  });
  afterAll(async () => {
    await real?.close();
    await simulated?.stop();
  });

  test(`random updates end as kube-controller-manager ends them (SEED=${seed})`, {
    timeout: timeoutMs,
  }, async () => {
    if (!simulated || !real) throw new Error('Both clusters run while tests do');
    const { updates, differences, nudges } = await compare({ seed, workloads, steps }, simulated, real);
    const sleepers = nudges > 0 ? `; real controllers were nudged ${nudges} times` : '';
    console.info(`${updates} updates compared, ${differences.length} ended differently${sleepers}`);
    expect(differences).toEqual([]);
    expect(updates).toBeGreaterThanOrEqual(wanted);
  });
}
