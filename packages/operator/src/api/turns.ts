/** Computes, in simulated time, which of many workloads are next to be reloaded for a change, by waves and canaries. */

export interface WavePlace {
  readonly wave: number;
  /** Workloads that share a group wait for each other: a namespace, a ReloaderConfig. */
  readonly groups: readonly string[];
}

export interface CanaryPlace {
  /** Identifies one canary: workloads of the same ReloaderConfig and wave. */
  readonly name: string;
  /** The number of workloads that have the change after each step, including those that had it before. */
  readonly sizes: readonly number[];
  readonly bakeMs: number;
  /** The number of workloads that have already succeeded with the change. */
  readonly done: number;
  /** Workloads begin in this order. */
  readonly rank: string;
}

interface Placed {
  readonly key: string;
  readonly wave?: WavePlace;
  readonly canary?: CanaryPlace;
}

interface Course {
  readonly place: CanaryPlace;
  /** Keys of the workloads that have not begun, in order. */
  waiting: string[];
  begun: number;
  /** Milliseconds since the epoch, in order: when each had succeeded. */
  readonly proven: number[];
}

export class Turns {
  /** By group and wave: the number of workloads that are not complete. */
  readonly #open = new Map<string, Map<number, number>>();
  readonly #canaries = new Map<string, Course>();
  readonly #placed = new Map<string, Placed>();

  constructor(all: readonly Placed[]) {
    for (const each of all) {
      this.#placed.set(each.key, each);
      this.#count(each, 1);
    }
    const inCanaries = all.filter(({ canary }) => canary);
    for (const { key, canary } of inCanaries.sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))) {
      if (!canary) continue;
      const { done, name } = canary;
      const course = this.#canaries.get(name) ?? {
        place: canary,
        waiting: [],
        begun: done,
        proven: Array<number>(done).fill(0),
      };
      course.waiting.push(key);
      this.#canaries.set(name, course);
    }
  }

  isNow({ key, wave, canary }: Placed, now: number): boolean {
    for (const group of wave?.groups ?? []) {
      for (const [number, count] of this.#open.get(group) ?? []) {
        if (number < (wave?.wave ?? 0) && count > 0) return false;
      }
    }
    const course = canary && this.#canaries.get(canary.name);
    if (!course) return true;
    const size = openStep(course, now);
    if (size === undefined) return true;
    const place = course.waiting.indexOf(key);
    return place >= 0 && place < size - course.begun;
  }

  begin({ key, canary }: Placed): void {
    const course = canary && this.#canaries.get(canary.name);
    if (!course) return;
    course.waiting = course.waiting.filter((each) => each !== key);
    course.begun += 1;
  }

  /** The rollout has ended successfully. */
  end(key: string, at: number): void {
    const placed = this.#placed.get(key);
    if (!placed) return;
    this.#count(placed, -1);
    const course = placed.canary && this.#canaries.get(placed.canary.name);
    course?.proven.push(at);
    course?.proven.sort((a, b) => a - b);
  }

  /** The ends of steps that only wait for time to pass. */
  times(): readonly number[] {
    return [...this.#canaries.values()].flatMap(({ place: { sizes, bakeMs }, proven }) =>
      sizes.flatMap((size) => {
        const last = proven[size - 1];
        return last === undefined ? [] : [last + bakeMs];
      }),
    );
  }

  #count({ wave }: Placed, by: number): void {
    for (const group of wave?.groups ?? []) {
      const counts = this.#open.get(group) ?? new Map<number, number>();
      const number = wave?.wave ?? 0;
      counts.set(number, (counts.get(number) ?? 0) + by);
      this.#open.set(group, counts);
    }
  }
}

/** The size of the current step; undefined after the last. */
function openStep({ place: { sizes, bakeMs }, proven }: Course, now: number): number | undefined {
  return sizes.find((size) => (proven[size - 1] ?? Number.POSITIVE_INFINITY) + bakeMs > now);
}

const rankOf = ({ canary }: Placed): string => canary?.rank ?? '';
