/**
 * One Deployment with several ReloaderConfigs, each for its own sources, and an operator that plans, may be refused and
 * may crash. It knows which sources still have to be rolled out and which configs watch them, independently of the
 * product code; each contradiction of a plan is noted as a sentence.
 */
import { baseOf, type ParsedNote } from '../ledger/note.ts';
import { afterNote, afterPatch } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { NO_SLOTS } from '../model/budget.ts';
import type { ConfigFacts, ReloadStrategy } from '../model/config.ts';
import type { SourceKind } from '../model/source.ts';
import {
  configFacts,
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  usingPodSpec,
  workloadFacts,
} from '../want/world.test.support.ts';
import type { Action } from './action.ts';
import { type PlanInput, plan } from './plan.ts';

/** By their keys in the ledger. */
export const SOURCES = ['secret/db', 'secret/cert', 'cm/settings'] as const;
export type SourceName = (typeof SOURCES)[number];

export interface Speaker {
  readonly watches: readonly SourceName[];
  readonly strategy: ReloadStrategy | undefined;
  readonly pauseSeconds: number | undefined;
}

const START = Date.UTC(2026, 10, 16);
const HOUR = 3_600_000;
/** When the sources were created; they were not written since. */
const CREATED = 1_000_000;
const DEFAULT_STRATEGY = 'env-vars';

interface Content {
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly writtenAt: number;
}

export class ConfigsWalk {
  /** The oldest first; undefined: deleted. */
  readonly #speakers: (Speaker | undefined)[];
  readonly #contents = new Map<SourceName, Content>();
  /** Changes that are not rolled out yet. */
  readonly pending = new Set<SourceName>();
  readonly broken: string[] = [];
  now = START;
  reloads = 0;
  edits = 0;
  #lastReload: number | undefined;
  #ledger: string | undefined;
  #mark: string | undefined;
  #version = 1;
  #note: ParsedNote = { kind: 'absent' };
  #memory: PlanInput['memory'];

  constructor(speakers: readonly Speaker[]) {
    this.#speakers = [...speakers];
    for (const name of SOURCES) this.#contents.set(name, { number: 0, writtenAt: CREATED });
    this.pass();
  }

  edit(name: SourceName): void {
    this.edits += 1;
    this.#contents.set(name, { number: this.edits, writtenAt: this.now });
    if (this.#watching([name]).length > 0) this.pending.add(name);
  }

  /** Changes the settings of a config; it watches the same sources. */
  say(index: number, { strategy, pauseSeconds }: Omit<Speaker, 'watches'>): void {
    const speaker = this.#speakers[index];
    if (speaker) this.#speakers[index] = { ...speaker, strategy, pauseSeconds };
  }

  deleteConfig(index: number): void {
    this.#speakers[index] = undefined;
    // No config watches these any more.
    for (const name of SOURCES) if (this.#watching([name]).length === 0) this.pending.delete(name);
  }

  crash(): void {
    this.#memory = undefined;
  }

  /** `refused`: another client wrote first, and the server refuses each PATCH of this pass. */
  pass(refused = false): void {
    const { action, memory } = plan(this.#input());
    this.#memory = memory;
    this.#judge(action);
    if (action.kind === 'record') this.#noteDown(action.ledger, action.verdict.base);
    if (action.kind === 'defer' && action.ledger) this.#noteDown(action.ledger, action.verdict.base);
    if (action.kind === 'reload' && !refused) this.#roll(action);
  }

  #watching(sources: Iterable<SourceName>): { readonly name: string; readonly speaker: Speaker }[] {
    const wanted = [...sources];
    return this.#speakers.flatMap((speaker, index) =>
      speaker?.watches.some((one) => wanted.includes(one)) ? [{ name: nameOf(index), speaker }] : [],
    );
  }

  #judge(action: Action): void {
    const speaking = this.#watching(this.pending);
    const say = (text: string): void => {
      this.broken.push(`${(this.now - START) / 1000} s, with ${[...this.pending].join()} to do: ${text}`);
    };
    const expect = (what: string, found: unknown, expected: unknown): void => {
      if (found !== expected) say(`${what} is ${String(found)}, and should be ${String(expected)}`);
    };
    const pausing = speaking.find(({ speaker }) => speaker.pauseSeconds !== undefined);
    const pausedUntil =
      pausing?.speaker.pauseSeconds && this.#lastReload !== undefined
        ? this.#lastReload + pausing.speaker.pauseSeconds * 1000
        : undefined;
    const isHeld = pausedUntil !== undefined && this.now < pausedUntil;
    const planned = this.pending.size === 0 ? 'nothing' : isHeld ? 'defer' : 'reload';
    expect('the plan', ['leave', 'record'].includes(action.kind) ? 'nothing' : action.kind, planned);
    if (action.kind === 'reload') {
      const { reload } = action;
      const said = speaking.find(({ speaker }) => speaker.strategy !== undefined)?.speaker.strategy;
      expect('the strategy', reload.reloadStrategy, said ?? DEFAULT_STRATEGY);
      expect('who asked', reload.configs.join(), sorted(speaking.map(({ name }) => `shop/${name}`)));
      expect('what changed', sorted(action.ledger.recent.at(-1)?.sources ?? []), sorted(this.pending));
    }
    if (action.kind === 'defer') {
      expect('the end of the pause', action.later.until, pausedUntil);
      if (!action.later.message.includes(`ReloaderConfig shop/${pausing?.name})`))
        say(`"${action.later.message}" does not name ${pausing?.name}`);
    }
  }

  #roll({ ledger, reload }: Extract<Action, { kind: 'reload' }>): void {
    this.reloads += 1;
    this.#lastReload = this.now;
    this.#version += 1;
    this.#ledger = reload.ledgerAfter;
    this.#mark = reload.mark;
    this.pending.clear();
    const base = baseOf(reload.ledgerAfter);
    if (this.#memory) this.#memory = afterPatch(this.#memory, ledger, base);
    this.#note = { kind: 'note', note: { record: ledger, base } };
  }

  #noteDown(record: Parameters<typeof afterNote>[1], base: string): void {
    this.#note = { kind: 'note', note: { record, base } };
    if (this.#memory) this.#memory = afterNote(this.#memory, record, base);
  }

  #input(): PlanInput {
    const annotations = this.#ledger === undefined ? {} : { [FIXED_ANNOTATIONS.ledger]: this.#ledger };
    const templateAnnotations = this.#mark === undefined ? {} : { [FIXED_ANNOTATIONS.rolled]: this.#mark };
    const podSpec = usingPodSpec(...SOURCES.map(refOf));
    const plain = workloadFacts({ annotations, templateAnnotations, podSpec });
    const workload = { ...plain, metadata: { ...plain.metadata, resourceVersion: String(this.#version) } };
    const sources = [...this.#contents].map(([name, { number, writtenAt }]) =>
      sourceFacts({
        ...refOf(name),
        digest: String(number).padStart(22, 'd'),
        writtenAt: Math.floor(writtenAt / 1000),
      }),
    );
    const configs = this.#speakers.flatMap((speaker, index) => (speaker ? [configOf(speaker, index)] : []));
    return {
      workload,
      world: fakeWorld({ sources, workloads: [workload], configs, namespaces: [namespaceFacts()] }),
      settings: defaultSettings({ settleMs: 0 }),
      install: { at: 100, keyId: 'key1' },
      note: this.#note,
      memory: this.#memory,
      pods: { readSince: [Math.floor((this.#lastReload ?? START - HOUR) / 1000)] },
      slots: () => NO_SLOTS,
      following: undefined,
      now: this.now,
    };
  }
}

/** In reverse to their ages, so that sorting by name gives a wrong result. */
const nameOf = (index: number): string => `config-${9 - index}`;
const sorted = (names: Iterable<string>): string => [...names].sort().join();

function refOf(name: SourceName): { readonly kind: SourceKind; readonly name: string } {
  const [kind, plain = ''] = name.split('/');
  return { kind: kind === 'cm' ? 'ConfigMap' : 'Secret', name: plain };
}

function configOf({ watches, strategy, pauseSeconds }: Speaker, index: number): ConfigFacts {
  const watched = watches.map(refOf);
  const named = (kind: SourceKind): string[] =>
    watched.flatMap((ref) => (ref.kind === kind ? [ref.name] : []));
  return configFacts({
    name: nameOf(index),
    createdAt: 500 + index,
    secrets: named('Secret'),
    configMaps: named('ConfigMap'),
    reloadStrategy: strategy,
    pausePeriodMs: pauseSeconds === undefined ? undefined : pauseSeconds * 1000,
  });
}
