/**
 * Runs the simulated controllers.
 *
 * In: committed writes from `LocalApi.subscribe`. Out: more writes. Each controller maps an event to keys and moves
 * one key one step at a time; a key is queued at most once. Everything runs on the clock, so under a virtual clock a
 * rollout is the same on every run. A failed step is retried and does not stop other keys.
 */
import type { Clock, Timer } from '@reloader/runtime';
import type { LocalApi, LocalEvent, ObjectRef } from '../model/local-api.ts';
import type { KubeObject } from '../model/object.ts';
import { StatusError } from '../model/status.ts';
import type { OwnedIndex } from './owned.ts';

export interface Simulation {
  readonly api: LocalApi;
  readonly clock: Clock;
  readonly owned: OwnedIndex;
}

export interface SimulatedController {
  readonly name: string;
  /** Keys (`namespace/name`) to enqueue after this event. */
  keysFor(event: LocalEvent): Iterable<string>;
  /** One step for one key. The result is the number of milliseconds after which to requeue it. */
  sync(key: string): number | undefined;
}

/** Real controllers act shortly after the event: several writes in one tick are then one step. */
const REACTION_MS = 1;
const CONFLICT_RETRY_MS = 5;
const LONGEST_RETRY_MS = 5_000;

export function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}

export function refOf(key: string): ObjectRef {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

class Loop {
  readonly #controller: SimulatedController;
  readonly #clock: Clock;
  readonly #onError: (controller: string, key: string, error: unknown) => void;
  readonly #dirty = new Set<string>();
  readonly #later = new Map<string, { due: number; timer: Timer }>();
  readonly #failures = new Map<string, number>();
  #drain: Timer | undefined;

  constructor(
    controller: SimulatedController,
    clock: Clock,
    onError: (controller: string, key: string, error: unknown) => void,
  ) {
    this.#controller = controller;
    this.#clock = clock;
    this.#onError = onError;
  }

  observe(event: LocalEvent): void {
    for (const key of this.#controller.keysFor(event)) this.#enqueue(key);
  }

  stop(): void {
    this.#drain?.cancel();
    this.#dirty.clear();
    for (const { timer } of this.#later.values()) timer.cancel();
    this.#later.clear();
  }

  #enqueue(key: string): void {
    this.#dirty.add(key);
    this.#drain ??= this.#clock.setTimeout(() => this.#run(), REACTION_MS);
  }

  #run(): void {
    this.#drain = undefined;
    const keys = [...this.#dirty];
    this.#dirty.clear();
    for (const key of keys) this.#step(key);
  }

  #step(key: string): void {
    try {
      const again = this.#controller.sync(key);
      this.#failures.delete(key);
      if (again !== undefined) this.#lookAgain(key, again);
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      // Conflicts and 404s mean that a controller acted on stale state.
      const expected = error instanceof StatusError && [404, 409].includes(error.body.code);
      if (!expected) this.#onError(this.#controller.name, key, error);
      this.#lookAgain(key, Math.min(CONFLICT_RETRY_MS * 2 ** Math.min(failures, 12), LONGEST_RETRY_MS));
    }
  }

  /** Of two requeue times the earlier one counts. */
  #lookAgain(key: string, ms: number): void {
    const due = this.#clock.monotonic() + ms;
    const waiting = this.#later.get(key);
    if (waiting && waiting.due <= due) return;
    waiting?.timer.cancel();
    const timer = this.#clock.setTimeout(() => {
      this.#later.delete(key);
      this.#enqueue(key);
    }, ms);
    this.#later.set(key, { due, timer });
  }
}

/** Starts all controllers; the result stops them. Existing objects are enqueued first. */
export function runControllers(
  simulation: Simulation,
  controllers: readonly SimulatedController[],
  options: {
    readonly existing: Iterable<LocalEvent>;
    readonly onError: (controller: string, key: string, error: unknown) => void;
  },
): () => void {
  const loops = controllers.map((controller) => new Loop(controller, simulation.clock, options.onError));
  const observe = (event: LocalEvent): void => {
    simulation.owned.observe(event);
    for (const loop of loops) loop.observe(event);
  };
  for (const event of options.existing) observe(event);
  const unsubscribe = simulation.api.subscribe(observe);
  return () => {
    unsubscribe();
    for (const loop of loops) loop.stop();
  };
}
