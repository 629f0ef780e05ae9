/**
 * An hour under churn on the real control plane, in real time, after the operator's memories were filled up: 15 minutes
 * as fast as the cluster can, then 120 changes a minute; objects and namespaces that are created and deleted, a new
 * client certificate every 5 minutes, an API server that restarts every 10, and watches that end by themselves in
 * between. `SOAK_MINUTES` sets another length, `SEED` another course.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useControlPlane } from '../control-plane/vitest.ts';
import { Churn } from './churn.ts';
import { kilobytes, megabytes, sumOf } from './counted.ts';
import { fillMemories } from './fill.ts';
import { type Held, RealWorld } from './real-world.ts';
import { certainGrowth, type Trend, trendOf } from './slope.ts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
const MINUTE_MS = 60_000;
/** Churn takes this much of a minute; the rest of it is quiet, and then the process is sampled. */
const BUSY_MS = 40_000;
const ROUND_MS = 3_000;
/** In each round. */
const CHANGES = 9;
const CHANGES_AT_FIRST = 30;
const REPLACED = 3;
/** Compiled code and pools fill in this part of the time, in which the rounds follow each other without a pause. */
const WARM_UP = 1 / 4;
/**
 * Limits of the growth per hour after that: the statistically certain part, and the slope with the noise of garbage
 * collection.
 */
const MOST_BYTES_AN_HOUR = { certain: 500_000, atAll: 5_000_000 };

interface Sample extends Held {
  readonly minute: number;
  readonly cached: number;
  /** So far. */
  readonly changes: number;
  readonly reloads: number;
}

const told = ({ slope, error }: Trend): string => `${kilobytes(slope)} ± ${kilobytes(error)}`;

const cluster = useControlPlane({ workloads: true, auditLevel: 'None' });

test(`O9: ${MINUTES} minutes of churn on the real control plane leave nothing behind: memory, sockets, timers, cache entries`, async () => {
  const seed = Number(process.env.SEED ?? 1);
  console.info(`SEED=${seed}`);
  const world = await RealWorld.begin(cluster());
  try {
    const reloadsSoFar = async (): Promise<number> =>
      sumOf(await world.metrics(), 'reloader_reload_executed_total');
    const filling = performance.now();
    await fillMemories(world.client, reloadsSoFar);
    console.info(
      `filled in ${Math.round((performance.now() - filling) / 1000)} s: ${await reloadsSoFar()} reloads`,
    );
    const churn = new Churn(world.client, seed);
    await churn.populate();
    const samples: Sample[] = [];
    const warmUntil = MINUTES * WARM_UP;
    for (let minute = 1; minute <= MINUTES; minute += 1) {
      const began = performance.now();
      const isWarm = minute > warmUntil;
      while (performance.now() < began + BUSY_MS) {
        const next = performance.now() + (isWarm ? ROUND_MS : 0);
        const changes = isWarm ? CHANGES : CHANGES_AT_FIRST;
        await Promise.all(Array.from({ length: changes }, () => churn.change()));
        for (let each = 0; each < REPLACED; each += 1) await churn.replaceApp();
        await delay(Math.max(0, next - performance.now()));
      }
      await churn.replaceNamespace();
      if (minute % 5 === 0) await world.renewCertificate();
      if (minute % 10 === 0) await world.restartServer();
      await delay(Math.max(0, began + MINUTE_MS - performance.now()));
      const held = await world.held();
      const metrics = await world.metrics();
      const cached = sumOf(metrics, 'informer_objects');
      const reloads = sumOf(metrics, 'reloader_reload_executed_total');
      samples.push({ minute, cached, changes: churn.changes, reloads, ...held });
      console.info(
        `minute ${minute}: ${churn.changes} changes, ${churn.replaced} replaced, ${reloads} reloads, heap ${megabytes(held.heap)} MB, resident ${megabytes(held.rss)} MB, ${cached} cached, ${JSON.stringify(held.resources)}`,
      );
    }
    const settled = samples.filter(({ minute }) => minute > warmUntil);
    const hourly = (of: (sample: Sample) => number): Trend =>
      trendOf(settled.map((sample) => ({ x: sample.minute / 60, y: of(sample) }))) ?? { slope: 0, error: 0 };
    const heap = hourly((sample) => sample.heap);
    const resident = hourly((sample) => sample.rss);
    const [first, last] = [settled[0], settled.at(-1)];
    if (first === undefined || last === undefined) throw new Error('too short to be judged');
    console.info(
      `${MINUTES} minutes, ${last.changes} changes, ${last.reloads} reloads, ${world.renewals} certificates; ` +
        `heap ${megabytes(first.heap)} to ${megabytes(last.heap)} MB, slope ${told(heap)} kB an hour; ` +
        `resident slope ${told(resident)} kB an hour`,
    );
    expect(world.operator.ends, world.operator.lines.join('\n')).toEqual([]);
    expect(world.operator.starts).toBe(1);
    expect(last.reloads - first.reloads).toBeGreaterThan((last.changes - first.changes) / 3);
    expect(certainGrowth(heap), 'bytes that an hour adds for certain').toBeLessThan(
      MOST_BYTES_AN_HOUR.certain,
    );
    expect(heap.slope, 'bytes that an hour seems to add').toBeLessThan(MOST_BYTES_AN_HOUR.atAll);
    for (const name of ['TCPSocketWrap', 'TLSWrap', 'Timeout', 'TTYWrap', 'FSReqCallback', 'Immediate']) {
      const counts = settled.map(({ resources }) => resources[name] ?? 0);
      const half = Math.ceil(counts.length / 2);
      expect(Math.min(...counts.slice(half)), `${name}: ${counts}`).toBeLessThanOrEqual(
        Math.max(...counts.slice(0, half)),
      );
    }
  } finally {
    await world.end();
  }
});
