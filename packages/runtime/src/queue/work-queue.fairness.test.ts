/** Load scenarios: waiting times in virtual time. Their real time depends on the machine, hence the timeout. */
import { expect, test, vi } from 'vitest';
import type { Clock } from '../clock/clock.ts';
import { createRandom, type Random } from '../testing/random.ts';
import { WorkQueue } from './work-queue.ts';

vi.setConfig({ testTimeout: 60_000 });

const WORK_MS = 5;

interface Load {
  readonly random: Random;
  readonly perSecond: number;
  readonly key: (random: Random) => string;
}

/** One worker that takes 5 ms per key, and independent streams of events. */
class Simulation {
  time = 0;
  readonly #clock: Clock = {
    now: () => this.time,
    monotonic: () => this.time,
    setTimeout: () => {
      throw new Error('Nothing here is delayed');
    },
  };
  readonly #queue = new WorkQueue({ name: 'load', clock: this.#clock });
  readonly #addedAt = new Map<string, number | undefined>();

  add(key: string, priority = 0): void {
    this.#queue.add(key, { priority });
    // A key added again while it waits is the same work: its wait started with the first addition.
    if (this.#addedAt.get(key) === undefined) this.#addedAt.set(key, this.time);
  }

  run(loads: readonly Load[], untilMs: number, taken: (key: string, waitMs: number) => void): void {
    const nextAt = loads.map((load) => this.time + load.random.exponential(1000 / load.perSecond));
    let inHand: string | undefined;
    let freeAt = Infinity;
    for (;;) {
      if (inHand === undefined) {
        const item = this.#queue.tryGet();
        if (item) {
          taken(item.key, this.time - (this.#addedAt.get(item.key) ?? Number.NaN));
          this.#addedAt.set(item.key, undefined);
          inHand = item.key;
          freeAt = this.time + WORK_MS;
        }
      }
      const arrival = Math.min(...nextAt);
      this.time = Math.min(arrival, freeAt);
      if (this.time > untilMs) return;
      if (freeAt <= arrival && inHand !== undefined) {
        this.#queue.done(inHand);
        inHand = undefined;
        freeAt = Infinity;
        continue;
      }
      const index = nextAt.indexOf(arrival);
      const load = loads[index] as Load;
      this.add(load.key(load.random));
      nextAt[index] = arrival + load.random.exponential(1000 / load.perSecond);
    }
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}

/** Processes initial keys beside fresh ones; returns the remaining initial keys and the waits of the fresh ones. */
function initialBesideLive(
  count: number,
  load: Load,
  untilMs: number,
): { left: number; liveWaits: number[]; doneAtMs: number } {
  const simulation = new Simulation();
  const initial = new Set<string>();
  for (let index = 0; index < count; index++) initial.add(`ns-${index % 50}/object-${index}`);
  for (const key of initial) simulation.add(key, -100);
  const liveWaits: number[] = [];
  let doneAtMs = Infinity;
  simulation.run([load], untilMs, (key, waitMs) => {
    if (!initial.delete(key)) liveWaits.push(waitMs);
    else if (initial.size === 0) doneAtMs = simulation.time;
  });
  return { left: initial.size, liveWaits, doneAtMs };
}

/**
 * 200 events a second at 5 ms each are all that one worker can do: there is time for the initial keys only because
 * events of one key merge. Therefore the events hit 15 busy objects.
 */
test('at 200 events a second on busy objects, live p99 is below 100 ms and all initial keys are done (seed 1)', () => {
  const busy = Array.from({ length: 15 }, (_, index) => `ns-${index % 5}/busy-${index}`);
  const load: Load = { random: createRandom(1), perSecond: 200, key: (random) => random.pick(busy) };
  const { left, liveWaits } = initialBesideLive(50_000, load, 2_500_000);
  expect(left).toBe(0);
  expect(liveWaits.length).toBeGreaterThan(150_000);
  expect(percentile(liveWaits, 0.99)).toBeLessThan(100);
});

test('at 150 events a second, each on another object, both hold as well (seed 2)', () => {
  let serial = 0;
  const key = (random: Random): string => `ns-${random.int(50)}/live-${serial++}`;
  const load = { random: createRandom(2), perSecond: 150, key };
  const { left, liveWaits } = initialBesideLive(50_000, load, 1_200_000);
  expect(left).toBe(0);
  expect(percentile(liveWaits, 0.99)).toBeLessThan(100);
});

/** Twice the worker's capacity: without ageing no initial key would ever be processed. */
test('under an overload that never ends, initial keys get their tenth of the time once they are old (seed 3)', () => {
  const key = (random: Random): string => `ns-${random.int(50)}/live-${random.int(2000)}`;
  const load = { random: createRandom(3), perSecond: 400, key };
  const { left, doneAtMs } = initialBesideLive(2000, load, 400_000);
  expect(left).toBe(0);
  expect(doneAtMs).toBeGreaterThan(100_000 + 2000 * 10 * WORK_MS * 0.9);
});

/** The p99 wait in nine namespaces with 10 events a second each, while a tenth has `floodPerSecond`. */
function othersP99(seed: number, floodPerSecond: number): number {
  const simulation = new Simulation();
  let serial = 0;
  const loads = Array.from(
    { length: 10 },
    (_, namespace): Load => ({
      random: createRandom(seed + namespace),
      perSecond: namespace === 0 ? floodPerSecond : 10,
      key: () => `ns-${namespace}/object-${serial++}`,
    }),
  );
  const waits: number[] = [];
  simulation.run(loads, 120_000, (key, waitMs) => {
    if (!key.startsWith('ns-0/')) waits.push(waitMs);
  });
  return percentile(waits, 0.99);
}

test.each([
  ['ten times its usual rate', 100],
  ['ten times what the worker can do', 2000],
])('a namespace that floods with %s does not double the p99 wait of the others (seed 2)', (_what, rate) => {
  const idle = othersP99(2, 10);
  const flooded = othersP99(2, rate);
  expect(idle).toBeGreaterThan(0);
  expect(flooded).toBeLessThanOrEqual(2 * idle);
});
