/** Whose turn it is among many that a change reaches, by waves and canaries, in a course of time that is only imagined. */

export interface WavePlace {
  readonly wave: number;
  /** Two that share one of these wait for each other: a namespace, a ReloaderConfig. */
  readonly groups: readonly string[];
}

export interface CanaryPlace {
  /** Of one canary: those of the same ReloaderConfig and wave. */
  readonly name: string;
  /** How many have the change after each step, those included that had it before. */
  readonly sizes: readonly number[];
  readonly bakeMs: number;
  /** How many have proven themselves with the change already. */
  readonly done: number;
  /** In the order of these they come. */
  readonly rank: string;
}

interface Placed {
  readonly key: string;
  readonly wave?: WavePlace;
  readonly canary?: CanaryPlace;
}

interface Course {
  readonly place: CanaryPlace;
  /** Keys of those that have not begun, in order. */
  waiting: string[];
  begun: number;
  /** Milliseconds since the epoch, in order: when each had proven itself. */
  readonly proven: number[];
}

export class Turns {
  /** By group and wave: how many are not through. */
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

  /** Its rollout has ended, and well. */
  end(key: string, at: number): void {
    const placed = this.#placed.get(key);
    if (!placed) return;
    this.#count(placed, -1);
    const course = placed.canary && this.#canaries.get(placed.canary.name);
    course?.proven.push(at);
    course?.proven.sort((a, b) => a - b);
  }

  /** When a step ends that waits for nothing but time. */
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

/** The size of the step that is not over; undefined after the last. */
function openStep({ place: { sizes, bakeMs }, proven }: Course, now: number): number | undefined {
  return sizes.find((size) => (proven[size - 1] ?? Number.POSITIVE_INFINITY) + bakeMs > now);
}

const rankOf = ({ canary }: Placed): string => canary?.rank ?? '';
