/**
 * A day under churn, on a virtual clock: a change every minute, applications and namespaces that are created and
 * deleted, watches that end every 5 to 10 minutes and once an hour get 410 Gone, certificates that
 * are renewed every four hours. `SOAK_HOURS` sets another length, `SEED` another course.
 */
import { expect, test } from 'vitest';
import { Churn } from './churn.ts';
import { kilobytes, megabytes, sumOf } from './counted.ts';
import { heapWithoutGarbage } from './heap.ts';
import { certainGrowth, trendOf } from './slope.ts';
import { SoakWorld } from './world.ts';

const HOURS = Number(process.env.SOAK_HOURS ?? 24);
const MINUTE_MS = 60_000;
/** Caches, compiled code and pools fill in the first hours. */
const WARM_UP_HOURS = Math.min(4, HOURS / 4);
/** Limits of the growth per day: the statistically certain part, and the slope with the noise of garbage collection. */
const MOST_BYTES_A_DAY = { certain: 1_000_000, atAll: 10_000_000 };

interface Sample {
  readonly hour: number;
  readonly heap: number;
  readonly timers: number;
  readonly watches: number;
  readonly listeners: number;
  /** Objects on the server, by resource. */
  readonly objects: Readonly<Record<string, number>>;
  readonly cached: number;
  readonly resources: Readonly<Record<string, number>>;
}

test(`O9: ${HOURS} virtual hours of churn leave nothing behind: memory, timers, watches, listeners, cache entries`, async () => {
  const seed = Number(process.env.SEED ?? 1);
  console.info(`SEED=${seed}`);
  const world = await SoakWorld.begin(seed);
  const churn = new Churn(world.client, seed);
  await churn.populate();
  const samples: Sample[] = [];
  for (let minute = 1; minute <= HOURS * 60; minute += 1) {
    await churn.change();
    if (minute % 2 === 0) await churn.replaceApp();
    if (minute % 15 === 0) await churn.replaceNamespace();
    await world.clock.advance(MINUTE_MS);
    if (minute % 60 !== 0) continue;
    world.expireEvents();
    world.expireWatches();
    // Until all is rolled out and quiet, so that all samples are comparable.
    await world.clock.advance(10 * MINUTE_MS);
    const sample = await look(world, minute / 60);
    samples.push(sample);
    console.info(lineOf(sample));
  }
  const reloads = sumOf(await world.operator.metrics(), 'reloader_reload_executed_total');
  const settled = afterWarmUp(samples);
  const trend = trendOf(settled.map(({ hour: x, heap: y }) => ({ x: x / 24, y }))) ?? { slope: 0, error: 0 };
  console.info(
    `${HOURS} virtual hours, ${churn.changes} changes, ${reloads} reloads, ${world.watchesOpened} watches opened, ` +
      `${world.renewals} certificates renewed; heap ${megabytes(samples[0]?.heap)} to ${megabytes(samples.at(-1)?.heap)} MB, ` +
      `slope ${kilobytes(trend.slope)} ± ${kilobytes(trend.error)} kB a day`,
  );
  expect(world.operator.logText()).toBe('');
  expect(reloads).toBeGreaterThan(churn.changes * 0.8);
  expect(world.renewals).toBeGreaterThanOrEqual(Math.floor(HOURS / 5));
  for (const what of ['timers', 'watches', 'listeners', 'cached'] as const)
    expect(
      new Set(settled.map((sample) => sample[what])).size,
      `${what}: ${settled.map((sample) => sample[what])}`,
    ).toBe(1);
  expect(new Set(settled.map(({ resources }) => JSON.stringify(resources))).size).toBe(1);
  expect(certainGrowth(trend), 'bytes that a day adds for certain').toBeLessThan(MOST_BYTES_A_DAY.certain);
  expect(trend.slope, 'bytes that a day seems to add').toBeLessThan(MOST_BYTES_A_DAY.atAll);
  await world.end();
  expect(world.openWatches).toBe(0);
  expect(world.clock.pendingTimers).toBe(0);
  expect(world.operator.listeners).toBe(0);
});

async function look(world: SoakWorld, hour: number): Promise<Sample> {
  const heap = await heapWithoutGarbage();
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const { store } = world.cluster;
  return {
    hour,
    heap,
    timers: world.timers,
    watches: world.openWatches,
    listeners: world.operator.listeners,
    objects: Object.fromEntries(store.resources().map((resource) => [resource, store.count(resource)])),
    cached: sumOf(await world.operator.metrics(), 'informer_objects'),
    resources,
  };
}

const afterWarmUp = (samples: readonly Sample[]): Sample[] =>
  samples.filter(({ hour }) => hour > WARM_UP_HOURS);

function lineOf({ hour, heap, ...rest }: Sample): string {
  const { resources, objects, ...counts } = rest;
  const told = Object.entries(counts).map(([name, value]) => `${value} ${name}`);
  const many = Object.entries(objects).filter(([, number]) => number > 0);
  return `hour ${hour}: ${megabytes(heap)} MB, ${told.join(', ')}, ${JSON.stringify(resources)}, server: ${many.map(([name, number]) => `${number} ${name}`).join(', ')}`;
}
