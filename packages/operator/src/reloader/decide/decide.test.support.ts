/** Builders for tests of decisions: wanted sources, ledgers, and a workload that carries one. */

import { formatLedger } from '../ledger/ledger.ts';
import { formatMark } from '../ledger/marks.ts';
import { baseOf } from '../ledger/note.ts';
import { type MergedRecord, recordOf } from '../ledger/record.ts';
import { emptyMemory } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Decision, Verdict } from '../model/decision.ts';
import type { Ledger, LedgerEntry, Note } from '../model/ledger.ts';
import type { Memory } from '../model/memory.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { Policy, Want, WantedSource } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { defaultSettings, NOT_SEEN, sourceFacts, workloadFacts } from '../want/world.test.support.ts';
import { decide as decideWith } from './decide.ts';
import type { DecideInput } from './input.ts';

/** Second 5000. */
export const NOW = 5_000_000;
export const KEY_ID = 'key1';

/** A digest of 22 characters for a content named by a word. */
export const digestOf = (content: string): string => content.padEnd(22, '_');
export const slotOf = (content: string): string => content.padEnd(40, 'f');
export const sha1Of = (content: string): string => content.padEnd(40, 'e');

type SourceOptions = Partial<Omit<WantedSource, 'state'>> & {
  readonly facts?: Partial<Omit<SourceFacts, 'metadata'>>;
};

function wantedSource(
  kind: 'ConfigMap' | 'Secret',
  name: string,
  state: WantedSource['state'],
  { facts: _, ...options }: SourceOptions,
): WantedSource {
  return {
    ref: { kind, namespace: 'shop', name },
    key: `${kind === 'Secret' ? 'secret' : 'cm'}/${name}`,
    state,
    rule: 'named',
    configs: [],
    annotated: true,
    keys: undefined,
    approval: false,
    rules: [],
    container: 'app',
    reloadOnCreate: false,
    reloadOnDelete: false,
    ...options,
  };
}

/** A ConfigMap with this content, created and written at second 1000. */
export function present(name: string, content: string, options: SourceOptions = {}): WantedSource {
  const kind = options.ref?.kind === 'Secret' ? 'Secret' : 'ConfigMap';
  const facts = sourceFacts({
    name,
    kind,
    digest: digestOf(content),
    slot: slotOf(content),
    sha1: sha1Of(content),
    ...options.facts,
  });
  return wantedSource(kind, name, { kind: 'present', facts }, options);
}

export function presentSecret(name: string, content: string, options: SourceOptions = {}): WantedSource {
  const ref = { kind: 'Secret', namespace: 'shop', name } as const;
  return present(name, content, { ref, key: `secret/${name}`, ...options });
}

export function gone(name: string, options: SourceOptions = {}): WantedSource {
  return wantedSource('ConfigMap', name, { kind: 'gone' }, options);
}

export function unknown(name: string, options: SourceOptions & { syncing?: true } = {}): WantedSource {
  const { syncing, ...rest } = options;
  const state = { kind: 'unknown', why: 'forbidden', ...(syncing && { syncing }) } as const;
  return wantedSource('ConfigMap', name, state, rest);
}

export const POLICY: Policy = {
  reloadStrategy: 'env-vars',
  rolloutStrategy: 'rollout',
  settleMs: 1000,
  settleMaxMs: 10_000,
  batchWindowMs: 0,
  pauseMs: 0,
  pausedBy: undefined,
  stakaterPauseMs: undefined,
  freezes: [],
  rateLimit: undefined,
  windows: [],
  maxWaitMs: undefined,
  budgets: [],
  conditions: [],
  verify: undefined,
  onFailure: 'hold',
  invalid: undefined,
  cronJob: 'run',
};

export function wantFor(sources: readonly WantedSource[], policy: Partial<Policy> = {}): Want {
  const own = { ...POLICY, ...policy };
  const policies = { own, byConfig: [] };
  return { sources, unwanted: [], configs: [], policy: own, policies, problems: [] };
}

/** `cm/a` with content `x` is written `{ 'cm/a': 'x' }`; a tombstone or a scope is written as an entry. */
export function entriesOf(sources: Readonly<Record<string, string | LedgerEntry>>): Map<string, LedgerEntry> {
  return new Map(
    Object.entries(sources).map(([key, entry]) => [
      key,
      typeof entry === 'string' ? { digest: digestOf(entry) } : entry,
    ]),
  );
}

type LedgerParts = Partial<Omit<Ledger, 'sources'>> & {
  readonly sources?: Readonly<Record<string, string | LedgerEntry>>;
};

/** The ledger of workload `web`, written at second 2000. */
export function ledgerWith({ sources = {}, ...rest }: LedgerParts = {}): Ledger {
  return {
    uid: 'uid-web',
    seq: 0,
    writtenAt: 2000,
    keyId: KEY_ID,
    template: 'template',
    recent: [],
    sources: entriesOf(sources),
    ...rest,
  };
}

/** The workload after `ledger` was written, with the mark of its last reload on the template. */
export function carrying(
  ledger: Ledger | undefined,
  facts: Parameters<typeof workloadFacts>[0] & { readonly mark?: string | null } = {},
): WorkloadFacts {
  const { mark, ...rest } = facts;
  const rolled = ledger && ledger.seq > 0 ? formatMark(ledger) : undefined;
  const text = mark === null ? undefined : (mark ?? rolled);
  return workloadFacts({
    annotations: ledger ? { [FIXED_ANNOTATIONS.ledger]: formatLedger(ledger) } : {},
    templateAnnotations: text === undefined ? {} : { [FIXED_ANNOTATIONS.rolled]: text },
    ...rest,
  });
}

export function inputWith({
  settings,
  ...rest
}: Partial<Omit<DecideInput, 'settings'>> & {
  settings?: Partial<DecideInput['settings']>;
  /** The notebook's entry. */
  note?: Note | undefined;
}): NotedInput {
  const { note, ...parts } = rest;
  const workload = parts.workload ?? carrying(undefined);
  const memory = parts.memory ?? emptyMemory(workload.metadata.uid);
  const install = parts.install ?? { at: 3000, keyId: KEY_ID };
  return {
    workload,
    want: wantFor([]),
    memory,
    record: recordFor(workload, memory, install.keyId, note),
    optInSeen: NOT_SEEN,
    pods: undefined,
    install,
    settings: defaultSettings(settings),
    now: NOW,
    ...parts,
    note,
  };
}

/** The merged record of a workload whose ledger is not of a newer version. */
export function recordFor(
  workload: WorkloadFacts,
  memory: Memory,
  keyId: string | undefined,
  note?: Note,
): MergedRecord {
  const record = recordOf({
    workload,
    note: note ? { kind: 'note', note } : { kind: 'absent' },
    memory,
    keyId,
  });
  if (record.kind === 'newer') throw new Error('written by a newer version');
  return record;
}

/** The mark of Deployment `web`. */
export function markFor(
  seq: number,
  sources: ReadonlyMap<string, LedgerEntry> = new Map(),
  keyId?: string | undefined,
): string {
  return formatMark({ uid: 'uid-web', seq, sources, keyId });
}

/** Remembers this ledger as the one on the workload. */
export function memoryOf(ledger: Ledger, base = baseOf(formatLedger(ledger))): Memory {
  return { ...emptyMemory('uid-web'), ledger, base, highestSeq: ledger.seq };
}

export type NotedInput = DecideInput & { readonly note?: Note | undefined };

/** Merges the record again: a test may have changed workload or memory of the input. */
export function decide(input: NotedInput): Decision {
  const { workload, memory, install, note } = input;
  return decideWith({ ...input, record: recordFor(workload, memory, install.keyId, note) });
}

/** Fails if the decision is not a verdict. */
export function verdictOn(input: NotedInput): Verdict {
  return asVerdict(decide(input));
}

export function asVerdict(decision: Decision): Verdict {
  if (decision.action === 'ask-pods') {
    throw new Error(`expected a verdict, got ${JSON.stringify(decision)}`);
  }
  return decision;
}

/** The entries as they are written in the annotation. */
export function shown(ledger: Ledger | undefined): Record<string, string> | undefined {
  return ledger && (JSON.parse(formatLedger(ledger)) as { s: Record<string, string> }).s;
}
