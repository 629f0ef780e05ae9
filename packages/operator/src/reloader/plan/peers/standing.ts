/**
 * The progress of a peer with the current content of a source. Pure.
 *
 * It is derived from the peer's record and the outcomes of its reloads, never from its health: before a change reaches
 * a peer, that looks healthy, too.
 */
import type { RolloutStatus } from '@reloader/runtime';
import { formatEntry, ledgerKey } from '../../ledger/ledger.ts';
import { outcomesOf, type ParsedNote } from '../../ledger/note.ts';
import { contentOfRecord, isLeftOpen, outcomeWith } from '../../ledger/outcomes.ts';
import { type RecordOf, recordOf } from '../../ledger/record.ts';
import type { Install } from '../../model/decision.ts';
import type { Ledger, LedgerEntry } from '../../model/ledger.ts';
import type { Memory } from '../../model/memory.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import type { SourceRef } from '../../model/source.ts';
import type { SourceFacts, SourceState } from '../../model/source-facts.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../../model/workload.ts';
import type { World } from '../../model/world.ts';
import type { Why } from '../../schedule/types.ts';
import { judged } from '../../verify/following.ts';
import type { PeerLookup } from './lookup.ts';
import type { PeerPlan } from './peer-plans.ts';

export type Standing =
  /** It does not follow the source, or was deleted: not waited for. */
  | { readonly kind: 'unaffected' }
  /** It is not reloaded for the change yet. `unseen`: its plan was not made, and may tell something else. */
  | { readonly kind: 'pending'; readonly why: string; readonly unseen?: true }
  /** It was reloaded for the change, and the outcome is open. */
  | { readonly kind: 'running' }
  /** Milliseconds since the epoch: when its rollout succeeded. */
  | { readonly kind: 'ok'; readonly at: number }
  | { readonly kind: 'failed'; readonly seq: number; readonly message: string }
  /**
   * It is unknown when it continues, if ever: it is named and not waited for. `begun`: it was reloaded for the change.
   * `ended`: its outcome stays unknown, or is unknown until a person acts.
   */
  | { readonly kind: 'aside'; readonly why: string; readonly begun: boolean; readonly ended?: true };

export interface StandingInput {
  readonly world: World;
  readonly peers: PeerLookup;
  readonly install: Install;
  readonly deadlineMs: number;
  /** The peer's own plan, made without the order; undefined if it has to be made later. */
  readonly planOf: (workload: WorkloadFacts) => PeerPlan | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** For the order among peers. */
export interface OrderInput extends StandingInput {
  readonly settings: Pick<ReloaderSettings, 'allowCrossNamespace'>;
}

/**
 * A new process looks at every workload within this time; afterwards a peer without state is judged by record and
 * facts.
 */
const FIRST_LOOK_MS = 30_000;

/** Held by a user or a user's setting, for an unknown time. */
const ASIDE: ReadonlySet<Why> = new Set(['frozen', 'observing', 'invalid', 'condition']);

export const isAside = (why: Why): boolean => ASIDE.has(why);

/**
 * `differs`: only the peer's own plan can tell whether it will be reloaded for the change, and planning is expensive.
 */
export function recordedStanding(
  ref: WorkloadRef,
  source: SourceRef,
  input: StandingInput,
): Standing | 'differs' {
  const { world } = input;
  const workload = world.workload(ref);
  if (!workload || workload.deleting) return { kind: 'unaffected' };
  const record = recordOfPeer(workload, input);
  if (record.kind === 'newer') return { kind: 'aside', why: 'noted by a newer version', begun: false };
  const entry = record.recorded?.sources.get(ledgerKey(source, ref.namespace));
  if (!record.recorded || !entry) return { kind: 'unaffected' };
  if (!isSame(entry, world.source(source))) return 'differs';
  return begunStanding(workload, record.recorded, source, input);
}

/** Cached: hundreds of peers read each other's records, and few of them change in between. */
const records = new WeakMap<
  WorkloadFacts,
  { readonly note: ParsedNote; readonly memory: Memory | undefined; readonly record: RecordOf }
>();

export function recordOfPeer(
  workload: WorkloadFacts,
  { peers, install }: Pick<StandingInput, 'peers' | 'install'>,
): RecordOf {
  const ref = refOf(workload);
  const note = peers.note(ref);
  const memory = peers.known(ref)?.memory;
  const known = records.get(workload);
  if (known?.note === note && known.memory === memory) return known.record;
  const record = recordOf({ workload, note, memory, keyId: install.keyId });
  records.set(workload, { note, memory, record });
  return record;
}

export function plannedStanding(ref: WorkloadRef, source: SourceRef, input: StandingInput): Standing {
  const workload = input.world.workload(ref);
  if (!workload) return { kind: 'unaffected' };
  const plan = input.planOf(workload);
  if (!plan) return { kind: 'pending', why: 'being looked into', unseen: true };
  const { kind, why, heldBy, wanted, changed, recorded } = plan;
  const key = ledgerKey(source, ref.namespace);
  if (!wanted.has(key)) return { kind: 'unaffected' };
  switch (kind) {
    case 'defer':
      if (changed.has(key)) {
        const isHeld = heldBy !== undefined && isAside(heldBy);
        return isHeld ? { kind: 'aside', why, begun: false } : { kind: 'pending', why };
      }
      break;
    case 'reload':
      if (changed.has(key)) return { kind: 'pending', why: 'about to begin' };
      break;
    case 'ask-pods':
    case 'wait':
      return { kind: 'pending', why: 'being looked into' };
    case 'leave':
      if (why !== 'up-to-date') return { kind: 'unaffected' };
      break;
    case 'record':
      return { kind: 'unaffected' };
  }
  // The keys of the source that it follows have not changed.
  return recorded ? begunStanding(workload, recorded, source, input) : { kind: 'unaffected' };
}

function isSame({ digest, scope, gone }: LedgerEntry, source: SourceState): boolean {
  if (source.kind === 'present') return !gone && scope === undefined && digest === source.facts.digest;
  return source.kind === 'gone' && gone === true;
}

/** The name of another workload that succeeded with the current content of the source. */
export function workingPeer(
  own: WorkloadRef,
  source: SourceRef,
  facts: SourceFacts,
  /** That content, as recorded for the workload that asks. */
  content: string,
  input: Omit<StandingInput, 'planOf'>,
): string | undefined {
  const { world, peers } = input;
  const found = peers.of(source).find((ref) => {
    const workload = workloadKey(ref) === workloadKey(own) ? undefined : world.workload(ref);
    if (!workload || workload.deleting) return false;
    const record = recordOfPeer(workload, input);
    if (record.kind === 'newer' || !record.recorded) return false;
    const entry = record.recorded.sources.get(ledgerKey(source, ref.namespace));
    const hasIt = entry && (formatEntry(entry) === content || isSame(entry, { kind: 'present', facts }));
    return hasIt === true && begunStanding(workload, record.recorded, source, input).kind === 'ok';
  });
  return found && `${found.kind} ${found.namespace}/${found.name}`;
}

/** Paused, or OnDelete. */
const heldUp = ({ message }: RolloutStatus): Standing => ({
  kind: 'aside',
  why: message,
  begun: true,
  ended: true,
});

const OUTCOME_UNKNOWN: Standing = { kind: 'aside', why: 'superseded', begun: true, ended: true };

function begunStanding(
  workload: WorkloadFacts,
  recorded: Ledger,
  source: SourceRef,
  { peers, install, deadlineMs, now }: Omit<StandingInput, 'planOf'>,
): Standing {
  const ref = refOf(workload);
  const note = peers.note(ref);
  const key = ledgerKey(source, ref.namespace);
  const entry = recorded.sources.get(key);
  const content = entry && formatEntry(entry);
  const state = peers.known(ref);
  const { decidesSince } = install;
  const isNew = decidesSince !== undefined && now - decidesSince * 1000 < FIRST_LOOK_MS;
  const isFollowed = (): boolean => (state ? state.following !== undefined : isNew);
  const statusNow = (): RolloutStatus => judged(workload, state?.following, now, deadlineMs);
  const outcome = outcomeWith(outcomesOf(note, workload.metadata.uid), key, content, recorded.seq);
  switch (outcome?.result) {
    case 'ok':
      return { kind: 'ok', at: outcome.at * 1000 };
    case 'open': {
      if (isLeftOpen(outcome, recorded.seq) && !isFollowed()) return OUTCOME_UNKNOWN;
      const status = statusNow();
      return status.state === 'held' ? heldUp(status) : { kind: 'running' };
    }
    case 'failed':
    case 'timeout':
      return { kind: 'failed', seq: outcome.seq, message: outcome.message ?? outcome.result };
    case 'superseded':
      return OUTCOME_UNKNOWN;
  }
  const { seq, reloadedAt = 0, recent } = recorded;
  // The content was adopted: no reload brought it.
  if (!recent.some(({ sources }) => sources.includes(key))) return { kind: 'unaffected' };
  const ok: Standing = { kind: 'ok', at: reloadedAt * 1000 };
  if (!Object.hasOwn(contentOfRecord(recorded, seq), key)) return ok;
  // Only its first pass shows whether its outcome is awaited.
  if (!state && isNew) return { kind: 'running' };
  const failed = note.kind === 'note' && note.note.failed?.seq === seq ? note.note.failed : undefined;
  if (failed) return { kind: 'failed', seq, message: failed.message };
  // Its rollout was followed to its end: a rollout that runs now is another one.
  if (state && !state.following) return ok;
  const status = statusNow();
  switch (status.state) {
    case 'progressing':
      return { kind: 'running' };
    case 'failed':
      return { kind: 'failed', seq, message: status.message };
    case 'held':
      return heldUp(status);
    case 'done':
      return ok;
  }
}
