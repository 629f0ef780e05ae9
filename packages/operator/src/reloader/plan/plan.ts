/**
 * Plans one workload: the action, and when. Want, decide and schedule in one function without I/O.
 *
 * In: the facts of the caches, the memory of this process, the ages of pods if they were asked for, and the time. Out:
 * one action, and the new memory. The engine carries the action out; the live view, `explain` and `what-if` show it, so
 * users see exactly what would happen. A new gate belongs into `schedule/`, and all of them show it.
 */
import type { RolloutStatus } from '@reloader/runtime';
import { decide } from '../decide/decide.ts';
import { evictionStart } from '../ledger/eviction.ts';
import { formatLedger } from '../ledger/ledger.ts';
import type { ParsedNote } from '../ledger/note.ts';
import { type RecordOf, recordOf } from '../ledger/record.ts';
import { emptyMemory, remember } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Slots } from '../model/budget.ts';
import type { VerdictOf } from '../model/content-rule.ts';
import type { Decision, Install, PodEvidence, Verdict } from '../model/decision.ts';
import type { DoubtCount } from '../model/doubts.ts';
import type { FailuresOf } from '../model/failed-content.ts';
import type { Following } from '../model/following.ts';
import type { Ledger, NotedDoubt } from '../model/ledger.ts';
import type { Memory, PendingChange } from '../model/memory.ts';
import type { Order } from '../model/order.ts';
import type { ReloadPlan } from '../model/plan.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceRef } from '../model/source.ts';
import type { Want } from '../model/want.ts';
import { isRunOfCronJob, refOf, type WorkloadFacts } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { isHeldByItself, schedule } from '../schedule/schedule.ts';
import type { Later } from '../schedule/types.ts';
import { judged } from '../verify/following.ts';
import { wantOf } from '../want/want.ts';
import type { Action, LeaveReason, Plan } from './action.ts';
import { causesText } from './causes.ts';
import { type Change, changeOf } from './change.ts';
import { unmetConditions } from './conditions.ts';
import { type Contents, contentsOf } from './contents.ts';
import { eachOnce, failedElsewhere } from './failed-elsewhere.ts';
import type { PeerLookup } from './peers/lookup.ts';
import { mayHaveOrder, orderOf } from './peers/order.ts';
import { type PeerPlan, PeerPlans } from './peers/peer-plans.ts';
import { recordOnlyReason, uncounted } from './record-only.ts';
import { refusedChanges, withRefused } from './refused.ts';
import { undoOf } from './undo.ts';

export interface PlanInput {
  readonly workload: WorkloadFacts;
  readonly world: World;
  readonly settings: ReloaderSettings;
  readonly install: Install;
  /** The notebook's entry for a workload of this name. */
  readonly note: ParsedNote;
  /** Undefined: this process has no memory of a workload of this name. */
  readonly memory: Memory | undefined;
  /** Undefined: the pods were not listed. If given, no plan asks for them again. */
  readonly pods: PodEvidence | undefined;
  /** Our running rollouts, and the workloads that wait for one to end. Called only if there is a budget. */
  readonly slots: () => Slots;
  /**
   * The observed state of the rollout after its last reload, its failing pods included; undefined: only the facts are
   * known.
   */
  readonly following: Following | undefined;
  /**
   * How many other reloads have only times as evidence; undefined for read-only callers: those see held ones by their
   * notes.
   */
  readonly doubts?: DoubtCount;
  /** The workloads on which a content has failed; undefined: none is known. */
  readonly failures?: FailuresOf;
  /** The other users of its sources; undefined: its turn is always now. */
  readonly peers?: PeerLookup;
  /** A user asks: its turn among its peers is found out, too, while an earlier gate holds. */
  readonly showsOrder?: true;
  /** Verdicts on contents; undefined: all contents count as valid. */
  readonly verdictOn?: VerdictOf;
  /** Why the caller cannot compare the content of this source; undefined if it can. */
  readonly incomparable?: (source: SourceRef) => string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** How often a running rollout is checked without an event that it ended. */
const ROLLOUT_CHECK_MS = 5_000;
/** After this time a change is decided even if the rollout has not ended. */
const LONGEST_WAIT_MS = 600_000;
/** `kubectl replace --force` and GitOps tools replace a ReloaderConfig by deleting it and creating it again. */
const CONFIG_RETURNS_WITHIN_MS = 10_000;

export function plan(input: PlanInput): Plan {
  const { workload, now } = input;
  const { want, recorded, known, before, isNewer, decision } = decisionOn(input);
  const leave = (why: LeaveReason, verdict?: Verdict, memory = before): Plan => ({
    want,
    recorded,
    memory,
    action: { kind: 'leave', why, ...(verdict && { verdict }) },
  });
  if (isNewer) return leave('newer-record');
  const verdict = decision.action === 'ask-pods' ? undefined : decision;
  if (workload.deleting) return leave('deleting', verdict);
  if (isRunOfCronJob(workload)) return leave('run-of-cron-job', verdict);
  if (want.sources.length === 0 && !known && !recorded) return leave('asks-nothing', verdict);
  if (decision.action === 'ask-pods') {
    const since = before.awaitsRolloutSince ?? now;
    const isRolling = decision.waitForRollout && rolloutNow(input).state === 'progressing';
    return isRolling && now - since < LONGEST_WAIT_MS
      ? {
          want,
          recorded,
          memory: { ...before, awaitsRolloutSince: since },
          action: { kind: 'wait', afterMs: ROLLOUT_CHECK_MS },
        }
      : { want, recorded, memory: before, action: { kind: 'ask-pods', doubt: decision.why } };
  }
  const mayReturnMs = configReturnsWithin(decision, input);
  if (mayReturnMs > 0) {
    const action = { kind: 'wait', afterMs: mayReturnMs, why: 'config-deleted' } as const;
    return { want, recorded, memory: before, action };
  }
  const memory = remember(before, workload, decision, now);
  const contents = contentsOf(decision, want, input.verdictOn);
  const action = actionOn(decision, want, memory, contents, input);
  if (!action) return leave('up-to-date', decision, memory);
  const { unchecked } = contents;
  return { want, recorded, memory, action, ...(unchecked.length > 0 && { unchecked }) };
}

/** Decides without gates: readers of the state need no time, and the gates cost much more than the decision. */
export function judge(input: JudgeInput): {
  readonly want: Want;
  readonly recorded: Ledger | undefined;
  readonly verdict: Verdict | undefined;
} {
  const { want, recorded, isNewer, decision } = decisionOn(input);
  return { want, recorded, verdict: isNewer || decision.action === 'ask-pods' ? undefined : decision };
}

export type JudgeInput = Pick<
  PlanInput,
  'workload' | 'world' | 'settings' | 'install' | 'note' | 'memory' | 'pods' | 'incomparable' | 'now'
>;

export type StandingInput = Omit<JudgeInput, 'pods' | 'now'>;

/** The sources that it is reloaded for and its record, without a decision: lists of workloads need no more. */
export function standingOf(input: StandingInput): {
  readonly want: Want;
  readonly record: RecordOf;
  readonly recorded: Ledger | undefined;
  readonly known: Memory | undefined;
} {
  const { workload, world, settings } = input;
  const { record, recorded, known } = recordedOf(input);
  const want = comparable(wantOf(workload, world, settings, recorded?.sources.keys()), input.incomparable);
  return { want, record, recorded, known };
}

/** The record without the sources, which cost more. */
export function recordedOf(input: Pick<StandingInput, 'workload' | 'install' | 'note' | 'memory'>): {
  readonly record: RecordOf;
  readonly recorded: Ledger | undefined;
  readonly known: Memory | undefined;
} {
  const { workload, install, note, memory } = input;
  const known = memory?.uid === workload.metadata.uid ? memory : undefined;
  const record = recordOf({ workload, note, memory: known, keyId: install.keyId });
  return { record, recorded: record.kind === 'record' ? record.recorded : undefined, known };
}

function decisionOn(input: JudgeInput): {
  readonly want: Want;
  readonly recorded: Ledger | undefined;
  readonly known: Memory | undefined;
  readonly before: Memory;
} & (
  | { readonly isNewer: true; readonly decision?: undefined }
  | { readonly isNewer: false; readonly decision: Decision }
) {
  const { workload, world, settings, install, note, pods, now } = input;
  const { want, record, recorded, known } = standingOf(input);
  const before = known ?? emptyMemory(workload.metadata.uid);
  if (record.kind === 'newer') return { want, recorded, known, before, isNewer: true };
  const decided = decide({
    workload,
    want,
    record,
    memory: before,
    optInSeen: world.optInSeen(workload),
    pods,
    install,
    settings,
    now,
  });
  const decision = decided.action === 'ask-pods' ? decided : withRefused(decided, workload, note);
  return { want, recorded, known, before, isNewer: false, decision };
}

function actionOn(
  verdict: Verdict,
  want: Want,
  memory: Memory,
  contents: Contents,
  input: PlanInput,
): Action | undefined {
  const { workload, settings, slots, now } = input;
  if (verdict.action === 'record' && verdict.record) {
    return { kind: 'record', verdict, ledger: verdict.record };
  }
  const { reload, recorded } = verdict;
  const { pending } = memory;
  if (verdict.action !== 'reload' || !reload || !pending) return undefined;
  const instead = recordOnlyReason(workload, want, reload, settings);
  if (instead) return { kind: 'record', verdict, ledger: uncounted(reload.ledger, recorded), instead };
  const { policy } = reload;
  const outsideCap = hasFailed(input, recorded);
  const change = changeOf(verdict, want, workload);
  const undo = undoOf(workload, verdict, input.note);
  const doubt = doubtOf(pending, input);
  const own = {
    policy,
    pending,
    change,
    doubt: doubt?.held ? 'held' : doubt && input.doubts === 'counting' ? 'counting' : undefined,
    unmet: unmetConditions(workload, want, verdict),
    contents: contents.invalid,
    refused: refusedChanges(workload, verdict),
    causes: () => causesText(reload.causes, want),
    recorded,
    workload,
    mode: settings.mode,
    slots,
    passesCap: outsideCap,
    begun: hasBegun(input, reload.mark),
    now,
  } as const;
  // Looking at all peers costs more than everything else, and decides nothing while an earlier stage holds.
  const order = !input.showsOrder && isHeldByItself(own) ? undefined : orderNow(verdict, want, input);
  const failures = eachOnce([
    ...failedElsewhere(workload, verdict, input.failures),
    ...(order?.failures ?? []),
  ]);
  const when = schedule({ ...own, order, failures });
  if (when.kind === 'later')
    return {
      kind: 'defer',
      verdict,
      later: when,
      ledger: worthNoting(verdict, when),
      ...(undo && { undoes: undo.seq }),
      ...(doubt && { byTimesAlone: doubt }),
    };
  return {
    kind: 'reload',
    verdict,
    ledger: reload.ledger,
    reload: { ...reloadPlan(input, verdict, reload, change), ...(undo && { undo }) },
    seenAt: pending.firstSeen,
    outsideCap,
    ...(doubt && { byTimesAlone: doubt }),
  };
}

/** Peers are planned without their own order: what they wait for is shown by their own plans. */
function orderNow(verdict: Verdict, want: Want, input: PlanInput): Order | undefined {
  const { peers, world, install, settings, now } = input;
  if (!peers || !mayHaveOrder(input.workload, want, peers)) return undefined;
  const { peers: _, pods: __, ...rest } = input;
  const plans = new PeerPlans({
    world,
    peers,
    operatorNamespace: settings.operatorNamespace,
    planOf: (workload) => {
      const ref = refOf(workload);
      const { memory, following } = peers.known(ref) ?? {};
      return plan({ ...rest, workload, note: peers.note(ref), memory, following, pods: undefined });
    },
    now,
  });
  const planOf = (workload: WorkloadFacts): PeerPlan | undefined => plans.of(workload);
  const { rolloutDeadlineMs: deadlineMs } = settings;
  const given = { world, peers, install, settings, deadlineMs, planOf, now };
  return orderOf(input.workload, want, verdict, given);
}

/**
 * In milliseconds; 0 if no ReloaderConfig that opted it in was just deleted. Until then the record keeps the contents of
 * sources that nobody asks for now: without them, a change that waits would be adopted when the config is back.
 */
function configReturnsWithin({ differences }: Verdict, { workload, world, now }: PlanInput): number {
  if (!differences.some(({ finding }) => finding === 'opted-out')) return 0;
  const { configGoneAt } = world.optInSeen(workload);
  if (configGoneAt === undefined) return 0;
  return Math.min(CONFIG_RETURNS_WITHIN_MS, configGoneAt + CONFIG_RETURNS_WITHIN_MS - now);
}

function rolloutNow({ workload, following, settings, now }: PlanInput): RolloutStatus {
  return judged(workload, following, now, settings.rolloutDeadlineMs);
}

/**
 * Undefined if the reload has more evidence than times. A reload that was held once waits for a user, even if few are
 * left.
 */
function doubtOf(
  { fingerprint, byTimesAlone }: PendingChange,
  { note, doubts }: PlanInput,
): NotedDoubt | undefined {
  const noted = note.kind === 'note' ? note.note.doubt : undefined;
  if (noted?.fingerprint === fingerprint) return { fingerprint, held: noted.held || doubts === 'many' };
  return byTimesAlone ? { fingerprint, held: doubts === 'many' } : undefined;
}

/**
 * Its pods are being evicted for this content: stopping halfway would leave a mix of old and new pods. Other content is
 * another change: it was neither approved nor checked, and its windows may be closed.
 */
function hasBegun({ note, workload }: PlanInput, mark: string): boolean {
  return note.kind === 'note' && evictionStart(note.note.evicting, { mark, workload }) !== undefined;
}

/** Newer content may repair a rollout that failed, so no other workload's rollout holds it back. */
function hasFailed(input: PlanInput, recorded: Ledger | undefined): boolean {
  const { note, following } = input;
  if (recorded?.reloadedAt === undefined) return false;
  const noted = note.kind === 'note' ? note.note.failed : undefined;
  if (noted?.seq === recorded.seq || following?.failed !== undefined) return true;
  return rolloutNow(input).state === 'failed';
}

/** A settle time ends within about a second and is not written; a longer wait must survive a restart. */
function worthNoting({ record, recordUrgent }: Verdict, { why }: Later): Verdict['record'] {
  return recordUrgent || (why !== 'settling' && why !== 'observing') ? record : undefined;
}

function reloadPlan(
  { workload, note, now }: PlanInput,
  { record, recorded }: Verdict,
  { ledger, mark, causes, configs, policy }: NonNullable<Verdict['reload']>,
  { usedWords }: Change,
): ReloadPlan {
  const { reloadStrategy, rolloutStrategy, stakaterPauseMs, cronJob } = policy;
  return {
    workload,
    ledgerBefore: workload.annotations[FIXED_ANNOTATIONS.ledger],
    ledgerAfter: formatLedger(ledger),
    ledger,
    recordBefore: record ?? recorded,
    evicting: note.kind === 'note' ? note.note.evicting : undefined,
    mark,
    seq: ledger.seq,
    now,
    causes,
    configs,
    reloadStrategy,
    rolloutStrategy,
    stakaterPauseMs,
    cronJob,
    usedWords,
  };
}

/** Marks sources whose content cannot be compared as unknown. */
function comparable(want: Want, incomparable: PlanInput['incomparable']): Want {
  if (!incomparable) return want;
  const sources = want.sources.map((source) => {
    const why = source.state.kind === 'present' ? incomparable(source.ref) : undefined;
    return why === undefined ? source : { ...source, state: { kind: 'unknown' as const, why } };
  });
  return { ...want, sources };
}
