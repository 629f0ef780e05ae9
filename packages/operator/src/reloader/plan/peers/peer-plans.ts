/**
 * The plans of peers, as far as a workload's turn depends on them.
 *
 * In: peers whose record does not show whether they have a change. Out: the part of each peer's own plan that tells it.
 * Guarantees: a plan that was made before is used again only if everything that it was made from is the same. One
 * workload's plan makes a limited number of new ones, because it is synchronous and other workloads wait meanwhile; the
 * rest are `undefined`, the workload waits, and its next plan continues where this one ended.
 */
import type { ParsedNote } from '../../ledger/note.ts';
import type { Following } from '../../model/following.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { Memory } from '../../model/memory.ts';
import type { Want } from '../../model/want.ts';
import { refOf, type WorkloadFacts } from '../../model/workload.ts';
import { ALL_NAMESPACES, type World } from '../../model/world.ts';
import type { Why } from '../../schedule/types.ts';
import { type Plan, verdictOf } from '../action.ts';
import type { PeerLookup } from './lookup.ts';

export interface PeerPlan {
  readonly kind: Plan['action']['kind'];
  /** Why it is left alone, or deferred. */
  readonly why: string;
  /** Held by a gate whose end is not known. */
  readonly heldBy: Why | undefined;
  /** Keys of the sources that it follows, and of those that it is to be reloaded for. */
  readonly wanted: ReadonlySet<string>;
  readonly changed: ReadonlySet<string>;
  readonly recorded: Ledger | undefined;
}

interface MadeFrom {
  readonly note: ParsedNote;
  readonly memory: Memory | undefined;
  readonly following: Following | undefined;
  /** The namespaces that it was made from, each with its revision. */
  readonly revisions: ReadonlyMap<string, number>;
  /** Milliseconds since the epoch: valid from the first on, and before the second. */
  readonly from: number;
  readonly until: number;
}

interface Made extends MadeFrom {
  readonly plan: PeerPlan;
}

const made = new WeakMap<object, WeakMap<WorkloadFacts, Made>>();

/** Sources and rules that may be looked at for new plans: some milliseconds of work. */
const MOST_LOOKED_AT = 2_000;
/**
 * The cost of gates at most, counted as sources. Conditions of one workload together have a limit. Texts of conditions
 * and windows are read even if nothing is to be reloaded.
 */
const LOOKS = { text: 100, condition: 700, conditions: 2_100, window: 60 };
/** Gates that depend on the time, such as windows, are looked at again. */
const VALID_MS = 60_000;
/** A verdict on a content comes without a new revision, and so may a source that is not there. */
const VALID_OPEN_MS = 1_000;

export interface PeerPlansOptions {
  readonly world: World;
  readonly peers: PeerLookup;
  readonly operatorNamespace: string;
  readonly planOf: (workload: WorkloadFacts) => Plan;
  readonly now: number;
}

export class PeerPlans {
  readonly #options: PeerPlansOptions;
  /** The same peer is asked about for each source that has changed. */
  readonly #own = new Map<WorkloadFacts, PeerPlan>();
  #lookedAt = 0;

  constructor(options: PeerPlansOptions) {
    this.#options = options;
  }

  /** Undefined if too many were made for this workload's plan. Without revisions none can be kept, and all are made. */
  of(workload: WorkloadFacts): PeerPlan | undefined {
    const known = this.#own.get(workload) ?? this.#before(workload);
    if (known) return known;
    if (this.#lookedAt > MOST_LOOKED_AT) return undefined;
    const planned = this.#options.planOf(workload);
    const plan = partOf(planned);
    this.#own.set(workload, plan);
    if (this.#options.world.revision) {
      this.#lookedAt += costOf(planned);
      this.#keep(workload, planned, plan, this.#options.world.revision);
    }
    return plan;
  }

  #before(workload: WorkloadFacts): PeerPlan | undefined {
    const { world, peers, now } = this.#options;
    const before = made.get(world)?.get(workload);
    if (!before || before.from > now || before.until <= now) return undefined;
    const ref = refOf(workload);
    const { memory, following } = peers.known(ref) ?? {};
    if (before.note !== peers.note(ref) || before.memory !== memory || before.following !== following)
      return undefined;
    for (const [namespace, revision] of before.revisions)
      if (world.revision?.(namespace) !== revision) return undefined;
    this.#own.set(workload, before.plan);
    return before.plan;
  }

  #keep(
    workload: WorkloadFacts,
    { want, unchecked, action }: Plan,
    plan: PeerPlan,
    revision: NonNullable<World['revision']>,
  ): void {
    const { world, peers, operatorNamespace, now } = this.#options;
    const revisions = new Map<string, number>();
    for (const namespace of namespacesOf(workload, want, operatorNamespace))
      revisions.set(namespace, revision(namespace));
    const isOpen = unchecked || want.sources.some(({ state }) => state.kind !== 'present');
    const until = action.kind === 'defer' ? action.later.until : undefined;
    const ref = refOf(workload);
    const { memory, following } = peers.known(ref) ?? {};
    const ofWorld = made.get(world) ?? new WeakMap<WorkloadFacts, Made>();
    made.set(world, ofWorld);
    ofWorld.set(workload, {
      note: peers.note(ref),
      memory,
      following,
      revisions,
      from: now,
      until: Math.min(until ?? Number.POSITIVE_INFINITY, now + (isOpen ? VALID_OPEN_MS : VALID_MS)),
      plan,
    });
  }
}

function namespacesOf(workload: WorkloadFacts, want: Want, operatorNamespace: string): Set<string> {
  const names = [ALL_NAMESPACES, operatorNamespace, workload.metadata.namespace];
  for (const { metadata } of want.configs) names.push(metadata.namespace);
  for (const { ref } of want.sources) names.push(ref.namespace);
  return new Set(names);
}

function costOf({ want: { sources, configs, policy }, action }: Plan): number {
  const { differences = [], reload } = verdictOf(action) ?? {};
  const { conditions, windows } = reload?.policy ?? policy;
  const evaluated = conditions.length * differences.filter((each) => each.reload).length;
  return (
    1 +
    sources.length * (1 + configs.length) +
    conditions.length * LOOKS.text +
    Math.min(LOOKS.conditions, evaluated * LOOKS.condition) +
    windows.reduce((sum, set) => sum + set.windows.length, 0) * LOOKS.window
  );
}

function partOf({ action, want, recorded }: Plan): PeerPlan {
  const differences = verdictOf(action)?.differences ?? [];
  const later = action.kind === 'defer' ? action.later : undefined;
  return {
    kind: action.kind,
    why: later?.why ?? (action.kind === 'leave' ? action.why : ''),
    heldBy: later?.why,
    wanted: new Set(want.sources.map(({ key }) => key)),
    changed: new Set(differences.flatMap(({ key, reload }) => (reload ? [key] : []))),
    recorded,
  };
}
