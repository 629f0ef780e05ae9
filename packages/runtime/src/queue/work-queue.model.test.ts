/** The queue against a model: plain lists, searched completely at every step. Slow and obvious. */
import { expect, test } from 'vitest';
import type { Clock } from '../clock/clock.ts';
import { forEachSeed, type Random } from '../testing/random.ts';
import type { AddOptions, QueueItem } from './options.ts';
import { WorkQueue } from './work-queue.ts';

interface ModelKey {
  readonly key: string;
  readonly namespace: string;
  priority: number;
  /** Its due time; undefined if it was not added. */
  due: number | undefined;
  inHand: boolean;
  ready: boolean;
  readySince: number;
  /** Its position among all that started to wait, and among all that became ready. */
  waitPlace: number;
  place: number;
}

class QueueModel {
  now = 0;
  readonly #keys = new Map<string, ModelKey>();
  readonly #retries = new Map<string, { failures: number; at: number }>();
  /** For each level, the namespaces in the order of their turns: new ones first, then those served before. */
  readonly #turns = new Map<string, { readonly fresh: string[]; readonly served: string[] }>();
  /** The level of each ready key. */
  readonly #levels = new Map<string, string>();
  #places = 0;
  /** Turns of fresh keys while others aged, less nine for each turn of those; at most nine. */
  #owed = 0;

  add(key: string, { after, rateLimited, priority = 0 }: AddOptions): void {
    let delay = after ?? (rateLimited ? Infinity : 0);
    if (rateLimited) delay = Math.min(delay, this.#retryDelay(key));
    const known = this.#keys.get(key) ?? this.#create(key);
    known.priority = known.due === undefined ? priority : Math.max(known.priority, priority);
    const moved = known.ready && this.#levelOf(known) !== this.#levels.get(key);
    if (moved) this.#enter(known, known.readySince);
    if (known.due === undefined) known.waitPlace = this.#places++;
    known.due = Math.min(known.due ?? Infinity, this.now + delay);
    this.#wake();
  }

  take(): QueueItem | undefined {
    const ready = [...this.#keys.values()].filter((each) => each.ready);
    if (ready.length === 0) return undefined;
    const level = this.#nextLevel(ready);
    const inLevel = ready.filter((each) => this.#levels.get(each.key) === level);
    const first = this.#takeTurn(level, inLevel);
    if (level.startsWith('ageing')) this.#owed = Math.max(this.#owed - 9, -90);
    else if (ready.some((each) => each.priority < 0)) this.#owed = Math.min(this.#owed + 1, 9);
    this.#levels.delete(first.key);
    first.ready = false;
    first.inHand = true;
    first.due = undefined;
    return { key: first.key, priority: first.priority, reason: undefined };
  }

  #takeTurn(level: string, inLevel: readonly ModelKey[]): ModelKey {
    const { fresh, served } = this.#turns.get(level) ?? { fresh: [], served: [] };
    for (;;) {
      const isFresh = fresh.length > 0;
      const namespace = isFresh ? fresh.shift() : served.shift();
      if (namespace === undefined) throw new Error(`The model has keys in ${level}, but no turn`);
      const keys = inLevel.filter((each) => each.namespace === namespace).sort((a, b) => a.place - b.place);
      if (keys.length > 1 || isFresh) served.push(namespace);
      if (keys[0]) return keys[0];
    }
  }

  done(key: string): void {
    const known = this.#keys.get(key);
    if (!known?.inHand) return;
    known.inHand = false;
    known.waitPlace = this.#places++;
    if (known.due === undefined) this.#keys.delete(key);
    this.#wake();
  }

  forget(key: string): void {
    this.#retries.delete(key);
  }

  failures(key: string): number {
    return this.#retries.get(key)?.failures ?? 0;
  }

  /** Makes due keys ready one moment after the other, as time passes. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const dues = [...this.#keys.values()]
        .filter((each) => !each.ready && !each.inHand)
        .map((each) => each.due);
      const next = Math.min(...dues.map((due) => due ?? Infinity));
      if (next > end) break;
      this.now = Math.max(this.now, next);
      this.#wake();
    }
    this.now = end;
  }

  get length(): number {
    return [...this.#keys.values()].filter((each) => each.ready).length;
  }

  get inHand(): string[] {
    return [...this.#keys.values()].filter((each) => each.inHand).map((each) => each.key);
  }

  get known(): ReadonlyMap<string, unknown> {
    return this.#keys;
  }

  #create(key: string): ModelKey {
    const namespace = key.split('/')[0] as string;
    const created = {
      key,
      namespace,
      priority: 0,
      due: undefined,
      inHand: false,
      ready: false,
      readySince: 0,
      waitPlace: 0,
      place: 0,
    };
    this.#keys.set(key, created);
    return created;
  }

  #retryDelay(key: string): number {
    const known = this.#retries.get(key);
    if (known && known.at - this.now > 5000) return known.at - this.now;
    const failures = (known?.failures ?? 0) + 1;
    const delay = Math.min(1_000_000, 5 * 2 ** (failures - 1));
    this.#retries.set(key, { failures, at: this.now + delay });
    return delay;
  }

  #wake(): void {
    const due = [...this.#keys.values()].filter(
      (each) => !each.ready && !each.inHand && each.due !== undefined && each.due <= this.now,
    );
    due.sort((a, b) => (a.due as number) - (b.due as number) || a.waitPlace - b.waitPlace);
    for (const each of due) this.#enter(each, each.due as number);
  }

  /** Moves the key to the end of its level. */
  #enter(each: ModelKey, since: number): void {
    const before = this.#levels.get(each.key);
    if (before !== undefined) {
      this.#levels.delete(each.key);
      const left = [...this.#keys.values()].some(
        (other) => other.namespace === each.namespace && this.#levels.get(other.key) === before,
      );
      if (!left) {
        for (const turns of Object.values(this.#turns.get(before) ?? {})) {
          if (turns.includes(each.namespace)) turns.splice(turns.indexOf(each.namespace), 1);
        }
      }
    }
    each.ready = true;
    each.readySince = since;
    each.place = this.#places++;
    const level = this.#levelOf(each);
    this.#levels.set(each.key, level);
    // A level without keys is dropped, and with it the order of turns.
    const others = [...this.#levels].some(([key, other]) => key !== each.key && other === level);
    const turns = (others ? this.#turns.get(level) : undefined) ?? { fresh: [], served: [] };
    if (!turns.fresh.includes(each.namespace) && !turns.served.includes(each.namespace)) {
      turns.fresh.push(each.namespace);
    }
    this.#turns.set(level, turns);
  }

  /** Keys of one level stay equal: they have the same priority now and age at the same moments. */
  #levelOf(each: ModelKey): string {
    if (each.priority >= 0) return `fixed ${each.priority}`;
    return `ageing ${each.priority - Math.floor(each.readySince / 1000)}`;
  }

  #nextLevel(ready: readonly ModelKey[]): string {
    const levels = new Set(ready.map((each) => this.#levels.get(each.key) as string));
    const highest = (kind: string): number =>
      Math.max(
        ...[...levels].filter((each) => each.startsWith(kind)).map((each) => Number(each.split(' ')[1])),
      );
    const fixed = highest('fixed');
    const ageing = highest('ageing');
    if (ageing === -Infinity) return `fixed ${fixed}`;
    if (fixed === -Infinity) return `ageing ${ageing}`;
    const hasAged = ageing + Math.floor(this.now / 1000) >= 0;
    return fixed === 0 && hasAged && this.#owed >= 9 ? `ageing ${ageing}` : `fixed ${fixed}`;
  }
}

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((namespace) =>
  Array.from({ length: 8 }, (_, index) => `${namespace}/${index}`),
);

function randomOptions(random: Random): AddOptions {
  return {
    ...(random.chance(0.4) ? { priority: random.pick([-100, -100, -30, -3, 0, 5]) } : {}),
    ...(random.chance(0.25) ? { after: random.pick([0, 1, 10, 100, 1000, 30_000]) } : {}),
    ...(random.chance(0.2) ? { rateLimited: true } : {}),
  };
}

/** A clock without promises, because this test has many steps. The queue never has more than one timer. */
class StepClock implements Clock {
  time = 0;
  timer: { readonly at: number; readonly callback: () => void } | undefined;
  now = (): number => this.time;
  monotonic = (): number => this.time;

  setTimeout(callback: () => void, ms: number): { cancel(): void } {
    if (this.timer) throw new Error('The queue has set a second timer');
    const timer = { at: this.time + ms, callback };
    this.timer = timer;
    return {
      cancel: () => {
        if (this.timer === timer) this.timer = undefined;
      },
    };
  }

  advance(ms: number): void {
    const end = this.time + ms;
    for (let timer = this.timer; timer && timer.at <= end; timer = this.timer) {
      this.timer = undefined;
      this.time = timer.at;
      timer.callback();
    }
    this.time = end;
  }
}

function same(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected)
    throw new Error(`${what}: ${String(actual)}, but the model has ${String(expected)}`);
}

/** Runs both side by side; tracks the keys that were added and not returned since. */
function compare(random: Random, steps: number): void {
  const clock = new StepClock();
  const queue = new WorkQueue({ name: 'model', clock });
  const model = new QueueModel();
  const owed = new Set<string>();
  const inHand = new Set<string>();

  const take = (): void => {
    const item = queue.tryGet();
    const expected = model.take();
    same(item?.key, expected?.key, 'taken key');
    same(item?.priority, expected?.priority, 'its priority');
    if (!item) return;
    same(inHand.has(item.key), false, 'taken while in hand');
    inHand.add(item.key);
    owed.delete(item.key);
  };
  const finish = (key: string): void => {
    queue.done(key);
    model.done(key);
    inHand.delete(key);
  };
  const advance = (ms: number): void => {
    clock.advance(ms);
    model.advance(ms);
  };

  for (let step = 0; step < steps; step++) {
    const key = random.pick(KEYS);
    const choice = random.next();
    if (choice < 0.4) {
      const options = randomOptions(random);
      queue.add(key, options);
      model.add(key, options);
      owed.add(key);
    } else if (choice < 0.65) {
      take();
    } else if (choice < 0.88) {
      if (inHand.size > 0) finish(random.pick([...inHand]));
    } else if (choice < 0.93) {
      queue.forget(key);
      model.forget(key);
    } else {
      advance(random.pick([0, 1, 7, 250, 2000, 20_000]));
    }
    same(queue.length, model.length, 'length');
    same(queue.processing, inHand.size, 'keys in hand');
    same(queue.failures(key), model.failures(key), 'failures');
  }

  for (const key of inHand) finish(key);
  advance(2_000_000);
  for (let left = queue.length; left > 0; left--) {
    take();
    for (const key of inHand) finish(key);
  }
  expect([...owed]).toEqual([]);
  expect([...queue.inspect()]).toEqual([]);
  expect(clock.timer).toBeUndefined();
}

test('100 000 random operations agree with the model, step by step, and lose no key', async () => {
  await forEachSeed({ count: 20 }, (random) => compare(random, 5000));
}, 120_000);
