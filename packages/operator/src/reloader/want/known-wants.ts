/**
 * Wants that were computed before, for as long as everything that they were computed from is the same.
 *
 * In: a world that numbers its revisions. Out: a want of before, or undefined. Guarantees: it equals what would be
 * computed now. A want that depends on something without a revision is not kept: a source that is missing or unknown
 * (which depends on the state of the informers, too), or a borrowed pod template.
 */
import type { ReloaderSettings } from '../model/settings.ts';
import type { Want } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { ALL_NAMESPACES, type World } from '../model/world.ts';

interface Known {
  readonly settings: ReloaderSettings;
  readonly recorded: readonly string[];
  readonly revisions: ReadonlyMap<string, number>;
  readonly want: Want;
}

/** Wants of fewer sources and configs are computed faster than they would be worth the memory. */
const EXPENSIVE = 30;

/** Two for each workload: passes, statuses and questions about it ask with its record, counts of targets without. */
type Both = { bare?: Known; recorded?: Known };
const known = new WeakMap<object, WeakMap<WorkloadFacts, Both>>();

const slotOf = (recorded: readonly string[]): keyof Both => (recorded.length === 0 ? 'bare' : 'recorded');

export function knownWant(
  workload: WorkloadFacts,
  world: World,
  settings: ReloaderSettings,
  recorded: readonly string[],
): Want | undefined {
  const { revision } = world;
  const before = revision && known.get(world)?.get(workload)?.[slotOf(recorded)];
  if (!before || before.settings !== settings || !isSame(before.recorded, recorded)) return undefined;
  for (const [namespace, number] of before.revisions) if (revision(namespace) !== number) return undefined;
  return withPresentStatuses(before.want, world);
}

/** Statuses of configs have no revision, because the operator writes them itself: they are read again. */
function withPresentStatuses(want: Want, world: World): Want {
  return { ...want, configs: want.configs.map((config) => world.config(config.metadata) ?? config) };
}

/** Computes with a world that notes the namespaces which are read, and keeps the result if it may be used again. */
export function keepingWant(
  workload: WorkloadFacts,
  world: World,
  settings: ReloaderSettings,
  recorded: readonly string[],
  compute: (world: World) => Want,
): Want {
  if (!world.revision) return compute(world);
  const reading = idle?.world === world ? idle : new NotedWorld(world, world.revision);
  // Taken while it is in use: a computation that asks for another want gets a world of its own.
  idle = undefined;
  reading.begin(workload.metadata.namespace);
  const want = compute(reading.noting);
  idle = reading;
  const cost = want.sources.length * (1 + want.configs.length);
  if (reading.isKept && cost >= EXPENSIVE) {
    const ofWorld = known.get(world) ?? new WeakMap<WorkloadFacts, Both>();
    const both = ofWorld.get(workload) ?? {};
    both[slotOf(recorded)] = { settings, recorded, revisions: new Map(reading.revisions), want };
    known.set(world, ofWorld.set(workload, both));
  }
  return want;
}

/** The last one is used again: every want needs one, for a moment. */
let idle: NotedWorld | undefined;

/** Notes the namespaces that are read, and whether anything without a revision is. */
class NotedWorld {
  readonly world: World;
  readonly noting: World;
  readonly revisions = new Map<string, number>();
  isKept = true;
  readonly #revision: (namespace: string) => number;

  constructor(world: World, revision: (namespace: string) => number) {
    this.world = world;
    this.#revision = revision;
    this.noting = {
      ...world,
      source: (ref) => {
        this.#reads(ref.namespace);
        const state = world.source(ref);
        if (state.kind !== 'present') this.isKept = false;
        return state;
      },
      sourcesIn: (namespace, kind) => {
        this.#reads(namespace);
        return world.sourcesIn(namespace, kind);
      },
      namespace: (name) => {
        this.#reads(name);
        return world.namespace(name);
      },
      namespaces: () => {
        this.#reads(ALL_NAMESPACES);
        return world.namespaces();
      },
      workload: (ref) => {
        this.isKept = false;
        return world.workload(ref);
      },
    };
  }

  begin(namespace: string): void {
    this.isKept = true;
    this.revisions.clear();
    this.#reads(namespace);
  }

  #reads(namespace: string): void {
    if (!this.revisions.has(namespace)) this.revisions.set(namespace, this.#revision(namespace));
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}
