/**
 * What has to happen to one workload: nothing, a note in its ledger, or a reload. Pure: the two states, what we
 * remember, and, where a doubt is left, the ages of its pods.
 *
 * Guarantees: the same input gives the same decision; the order of the sources does not matter; a decision that was
 * carried out is followed by "nothing". It never decides about a source whose state is unknown.
 */
import { type CompareSettings, compare, type Difference, type WantedSource } from './compare.ts';
import { type Ledger, parseLedger } from './ledger.ts';
import { ledgerFromMark, type RolledMark } from './marks.ts';

export interface DecideSubject {
  readonly uid: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly ledgerText: string | undefined;
  readonly mark: RolledMark | undefined;
  /** Seconds since the epoch: the newest write to the template by anybody but us. */
  readonly templateWrittenAt: number;
}

/** What this process has seen of the workload (by uid); empty after a restart. */
export interface Memory {
  readonly ledger?: Ledger;
  readonly highestSeq?: number;
  /** The revert with this number was already looked into, and no pod needed another rollout. */
  readonly revertSettled?: number;
  /** Somebody else changed the template after the sources did, and we saw both. */
  readonly templateChangedAfter?: boolean;
}

export interface PodEvidence {
  /** Seconds since the epoch; undefined when no pod lives. */
  readonly oldestCreatedAt: number | undefined;
}

export interface DecideInput {
  readonly subject: DecideSubject;
  readonly wanted: readonly WantedSource[];
  readonly memory: Memory;
  /** Undefined: not looked at yet. */
  readonly pods: PodEvidence | undefined;
  /** Seconds since the epoch: when this operator was installed. */
  readonly installedAt: number;
  readonly settings: CompareSettings;
}

export type Situation =
  /** The workload has no ledger, and nothing remembers one. */
  | 'first-sight'
  /** The ledger belongs to another workload of that name. */
  | 'copied'
  | 'recorded'
  /** Gone from the workload while we watched: written again. */
  | 'vanished'
  /** Gone while we were away, and read back from the template. */
  | 'restored-from-mark'
  /** An older ledger came back: somebody undid a rollout. */
  | 'undone';

export type Decision =
  | { readonly action: 'leave'; readonly version: number }
  | { readonly action: 'ask-pods'; readonly why: 'away' | 'template-changed' | 'reverted' }
  | {
      readonly action: 'nothing' | 'record' | 'reload';
      readonly situation: Situation;
      readonly differences: readonly Difference[];
      /** What the comparison started from. */
      readonly recorded: Ledger | undefined;
      /** Why a difference does not lead to a reload although it could. */
      readonly because?: 'adopted' | 'undone' | 'template-changed' | 'pods-are-new' | 'revert-settled';
      /** The template no longer carries our last rollout, and old pods live. */
      readonly reverted?: true;
    };

export function decide(input: DecideInput): Decision {
  const { subject, memory, settings } = input;
  const parsed = parseLedger(subject.ledgerText);
  if (parsed.kind === 'newer') return { action: 'leave', version: parsed.version };
  const own = parsed.kind === 'ledger' && parsed.ledger.uid === subject.uid ? parsed.ledger : undefined;
  const { situation, recorded } = situationOf(subject, own, parsed.kind === 'ledger', memory, settings);
  const differences = compare(recorded, input.wanted, settings);
  const base = { situation, differences, recorded };
  const stale =
    situation !== 'recorded' || differences.some(({ key, next }) => !sameEntry(recorded, key, next));

  if (situation === 'undone') return { ...base, action: 'record', because: 'undone' };
  if (recorded === undefined) return firstSight(input, base);
  const changed = differences.filter(({ reload }) => reload);
  if (changed.length > 0) return weigh(input, base, changed);
  const reverted = revert(input, recorded);
  if (reverted === 'ask') return { action: 'ask-pods', why: 'reverted' };
  if (reverted === 'yes') return { ...base, action: 'reload', reverted: true };
  return { ...base, action: stale ? 'record' : 'nothing' };
}

type Base = Pick<Extract<Decision, { action: 'record' }>, 'situation' | 'differences' | 'recorded'>;

function situationOf(
  subject: DecideSubject,
  own: Ledger | undefined,
  foreign: boolean,
  memory: Memory,
  { keyId }: CompareSettings,
): { situation: Situation; recorded: Ledger | undefined } {
  if (own) {
    return own.seq < (memory.highestSeq ?? 0)
      ? { situation: 'undone', recorded: own }
      : { situation: 'recorded', recorded: own };
  }
  if (memory.ledger?.uid === subject.uid) return { situation: 'vanished', recorded: memory.ledger };
  if (foreign) return { situation: 'copied', recorded: undefined };
  if (subject.mark) {
    // The mark carries no time; the workload's creation is the safest: nothing created since counts as known.
    const ledger = ledgerFromMark(subject.mark, subject.uid, subject.createdAt, keyId);
    return { situation: 'restored-from-mark', recorded: ledger };
  }
  return { situation: 'first-sight', recorded: undefined };
}

function sameEntry(recorded: Ledger | undefined, key: string, next: Difference['next']): boolean {
  const entry = recorded?.sources.get(key);
  if (!entry || !next) return entry === next;
  return entry.digest === next.digest && entry.scope === next.scope && entry.gone === next.gone;
}

/** Adopted without a restart, unless it came after us and its pods started before the data they should have. */
function firstSight({ subject, wanted, pods, installedAt }: DecideInput, base: Base): Decision {
  const adopt: Decision = {
    ...base,
    action: base.differences.length > 0 ? 'record' : 'nothing',
    because: 'adopted',
  };
  if (subject.createdAt <= installedAt) return adopt;
  const newest = newestWrite(wanted);
  if (newest <= subject.createdAt) return adopt;
  if (!pods) return { action: 'ask-pods', why: 'away' };
  return isOld(pods, newest) ? { ...base, action: 'reload' } : adopt;
}

/** Somebody else's change of the template may already have brought the new values. */
function weigh(input: DecideInput, base: Base, changed: readonly Difference[]): Decision {
  const { subject, wanted, memory, pods } = input;
  const keys = new Set(changed.map(({ key }) => key));
  const newest = newestWrite(wanted.filter(({ key }) => keys.has(key)));
  const deletionOnly = changed.every(({ finding }) => finding === 'deleted');
  if (deletionOnly) return { ...base, action: 'reload' };
  if (memory.templateChangedAfter || subject.templateWrittenAt > newest) {
    return { ...base, action: 'record', because: 'template-changed' };
  }
  // Within the same second nobody can tell which came first: the pods have the last word.
  const doubt = subject.templateWrittenAt === newest || base.situation !== 'recorded';
  if (!doubt) return { ...base, action: 'reload' };
  if (!pods) return { action: 'ask-pods', why: 'template-changed' };
  return isOld(pods, newest)
    ? { ...base, action: 'reload' }
    : { ...base, action: 'record', because: 'pods-are-new' };
}

function revert({ subject, memory, pods }: DecideInput, recorded: Ledger): 'no' | 'ask' | 'yes' {
  const { seq, reloadedAt } = recorded;
  if (seq === 0 || reloadedAt === undefined || memory.revertSettled === seq) return 'no';
  if (subject.mark && subject.mark.seq >= seq) return 'no';
  if (!pods) return 'ask';
  return isOld(pods, reloadedAt) ? 'yes' : 'no';
}

/** A pod that was created before this second still lives. */
function isOld({ oldestCreatedAt }: PodEvidence, second: number): boolean {
  return oldestCreatedAt !== undefined && oldestCreatedAt < second;
}

function newestWrite(wanted: readonly WantedSource[]): number {
  return Math.max(0, ...wanted.map(({ state }) => (state.kind === 'present' ? state.writtenAt : 0)));
}
