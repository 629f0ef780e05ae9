/** Several workloads that use one ConfigMap, with waves and a canary, on their own clock; each pass makes a plan. */
import { baseOf, outcomesOf, type ParsedNote } from '../../ledger/note.ts';
import { contentOf, ended, opened, outcomesOfNote, superseding } from '../../ledger/outcomes.ts';
import { afterNote, afterPatch } from '../../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import { NO_SLOTS } from '../../model/budget.ts';
import type { ConfigFacts } from '../../model/config.ts';
import type { Canary } from '../../model/order.ts';
import { DEFAULT_VERIFY } from '../../model/verify.ts';
import { refOf, type WorkloadFacts } from '../../model/workload.ts';
import type { World } from '../../model/world.ts';
import type { Later } from '../../schedule/types.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  targetFacts,
  usingPodSpec,
  workloadFacts,
} from '../../want/world.test.support.ts';
import type { Action } from '../action.ts';
import { foresee } from '../foresee.ts';
import { type PlanInput, plan } from '../plan.ts';

export const START = Date.UTC(2026, 10, 16);
const SOURCE = { kind: 'ConfigMap', name: 'settings' } as const;
const RULES = { name: 'rules', configMaps: ['settings'], verify: DEFAULT_VERIFY };

interface Member {
  readonly name: string;
  annotations: Record<string, string>;
  ledger: string | undefined;
  mark: string | undefined;
  version: number;
  note: ParsedNote;
  memory: PlanInput['memory'];
  reloadedAt: number;
  /** The contents for which it was reloaded. */
  readonly reloads: number[];
}

export interface FleetOptions {
  /** The wave of each workload, by name. */
  readonly waves: Readonly<Record<string, number>>;
  readonly canary?: Canary;
  readonly condition?: string;
  /** Seconds since the epoch: when the process became the one that decides. */
  readonly decidesSince?: number;
}

export class Fleet {
  readonly #options: FleetOptions;
  readonly #members: readonly Member[];
  now = START;
  content = 0;
  #labels: Record<string, string> = {};
  #writtenAt = START;
  /** One object, as in the operator, so that the plan may keep results until a revision changes. */
  readonly #world: World;
  #revision = 0;
  /** Facts stay the same objects until something changes, as in the caches. */
  readonly #known = new Map<Member, { version: number; annotations: object; facts: WorkloadFacts }>();
  readonly #config: ConfigFacts;

  constructor(options: FleetOptions) {
    const { waves, canary, condition } = options;
    const targets = Object.entries(waves).map(([name, wave]) => targetFacts({ name, wave }));
    this.#config = configFacts({ ...RULES, targets, canary, condition });
    this.#options = options;
    this.#world = this.#liveWorld();
    this.#members = Object.keys(options.waves).map((name) => ({
      name,
      annotations: {},
      ledger: undefined,
      mark: undefined,
      version: 1,
      note: { kind: 'absent' },
      memory: undefined,
      reloadedAt: START - 3_600_000,
      reloads: [],
    }));
    for (const { name } of this.#members) this.pass(name);
  }

  get labels(): Record<string, string> {
    return this.#labels;
  }

  set labels(labels: Record<string, string>) {
    this.#labels = labels;
    this.#revision += 1;
  }

  change(): void {
    this.#revision += 1;
    this.content += 1;
    this.#writtenAt = this.now;
  }

  annotate(name: string, annotations: Record<string, string>): void {
    this.#member(name).annotations = annotations;
  }

  reloads(name: string): readonly number[] {
    return this.#member(name).reloads;
  }

  /** The outcome of its last reload; undefined before the first. */
  outcome(name: string): string | undefined {
    return outcomesOf(this.#member(name).note, `uid-${name}`).at(-1)?.result;
  }

  pass(name: string): Action {
    const member = this.#member(name);
    const { action, memory } = plan(this.#input(member));
    member.memory = memory;
    if (action.kind === 'record') noteDown(member, action.ledger, action.verdict.base);
    if (action.kind === 'defer' && action.ledger) noteDown(member, action.ledger, action.verdict.base);
    if (action.kind === 'reload') this.#reload(member, action);
    return action;
  }

  /** The gates that `explain` would show. */
  foreseen(name: string): readonly Later[] {
    return foresee(this.#input(this.#member(name))).waits;
  }

  /** Runs passes of all workloads until no reload begins any more. */
  passes(): void {
    for (let isNew = true; isNew; ) {
      isNew = this.#members.filter(({ name }) => this.pass(name).kind === 'reload').length > 0;
    }
  }

  end(name: string, result: 'ok' | 'failed' | 'superseded'): void {
    const member = this.#member(name);
    if (member.note.kind !== 'note' || this.outcome(name) !== 'open') return;
    const { record } = member.note.note;
    const at = Math.floor(this.now / 1000);
    const end = { seq: record.seq, result, at, message: 'pod x: CrashLoopBackOff' };
    const outcomes = ended(outcomesOf(member.note, record.uid), end, record.sources);
    member.note = { kind: 'note', note: { ...member.note.note, ...outcomesOfNote(outcomes) } };
  }

  /** The reload was made, and the process ended before it noted the outcome. */
  forgetOutcome(name: string): void {
    const member = this.#member(name);
    if (member.note.kind !== 'note') return;
    const { outcomes: _, ...note } = member.note.note;
    member.note = { kind: 'note', note };
  }

  /** All workloads lose the state that is only in memory. */
  crash(): void {
    for (const member of this.#members) member.memory = undefined;
  }

  #member(name: string): Member {
    const member = this.#members.find((each) => each.name === name);
    if (!member) throw new Error(`${name} is no member`);
    return member;
  }

  #reload(member: Member, action: Extract<Action, { kind: 'reload' }>): void {
    const { ledger, reload, verdict } = action;
    member.reloads.push(this.content);
    member.version += 1;
    member.ledger = reload.ledgerAfter;
    member.mark = reload.mark;
    member.reloadedAt = this.now;
    const base = baseOf(reload.ledgerAfter);
    const at = Math.floor(this.now / 1000);
    const before = superseding(outcomesOf(member.note, ledger.uid), at);
    const { seq } = ledger;
    const sources = contentOf(verdict.differences);
    const outcomes = opened(before, { seq, at, template: 'template', sources });
    member.note = { kind: 'note', note: { record: ledger, base, ...outcomesOfNote(outcomes) } };
    if (member.memory) member.memory = afterPatch(member.memory, ledger, base);
  }

  #facts(member: Member): WorkloadFacts {
    const { name, annotations, ledger, mark, version } = member;
    const known = this.#known.get(member);
    if (known?.version === version && known.annotations === annotations) return known.facts;
    const plain = workloadFacts({
      name,
      annotations: { ...annotations, ...(ledger !== undefined && { [FIXED_ANNOTATIONS.ledger]: ledger }) },
      templateAnnotations: mark === undefined ? {} : { [FIXED_ANNOTATIONS.rolled]: mark },
      podSpec: usingPodSpec(SOURCE),
    });
    const facts = { ...plain, metadata: { ...plain.metadata, resourceVersion: String(version) } };
    this.#known.set(member, { version, annotations, facts });
    return facts;
  }

  #liveWorld(): World {
    let known: { readonly at: number; readonly world: World } | undefined;
    /** Without workloads: their facts change with every pass. */
    const fixed = (): World => {
      if (known?.at === this.#revision) return known.world;
      const digest = String(this.content).padStart(22, 'd');
      const writtenAt = Math.floor(this.#writtenAt / 1000);
      const source = sourceFacts({ ...SOURCE, digest, writtenAt, labels: this.#labels });
      const parts = { sources: [source], configs: [this.#config], namespaces: [namespaceFacts()] };
      known = { at: this.#revision, world: fakeWorld(parts) };
      return known.world;
    };
    return {
      ...fakeWorld({}),
      source: (ref) => fixed().source(ref),
      sourcesIn: (namespace, kind) => fixed().sourcesIn(namespace, kind),
      configsFor: (ref) => fixed().configsFor(ref),
      config: (key) => fixed().config(key),
      namespace: (name) => fixed().namespace(name),
      namespaces: () => fixed().namespaces(),
      workload: ({ name }) => this.#facts(this.#member(name)),
      revision: () => this.#revision,
    };
  }

  #input(member: Member): PlanInput {
    const { decidesSince } = this.#options;
    const workloads = this.#members.map((each) => this.#facts(each));
    const of = (name: string): Member => this.#member(name);
    return {
      workload: this.#facts(member),
      world: this.#world,
      settings: defaultSettings({ settleMs: 0 }),
      install: { at: START / 1000 + 1, keyId: 'key1', decidesSince },
      note: member.note,
      memory: member.memory,
      pods: { readSince: [Math.floor(member.reloadedAt / 1000)] },
      slots: () => NO_SLOTS,
      following: undefined,
      peers: {
        of: () => workloads.map(refOf),
        isOrdered: () => true,
        note: ({ name }) => of(name).note,
        known: ({ name }) => {
          const { memory } = of(name);
          return memory && { memory, following: undefined };
        },
      },
      now: this.now,
    };
  }
}

function noteDown(member: Member, record: Parameters<typeof afterNote>[1], base: string): void {
  const outcomes = outcomesOf(member.note, record.uid);
  member.note = { kind: 'note', note: { record, base, ...outcomesOfNote(outcomes) } };
  if (member.memory) member.memory = afterNote(member.memory, record, base);
}
