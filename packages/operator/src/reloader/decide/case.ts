/** One workload in one decision: the situation, the differences, and the functions that build a verdict from them. */
import { formatEntry, sameSources } from '../ledger/ledger.ts';
import { formatMark, leavesMark } from '../ledger/marks.ts';
import { deferredLedger, type LedgerHead, recordedLedger, reloadedLedger } from '../ledger/next.ts';
import { configIdOf, highestCounted } from '../model/counted.ts';
import type { Difference, Situation, Verdict } from '../model/decision.ts';
import { hashed } from '../model/hashed.ts';
import type { Ledger, RecentReload } from '../model/ledger.ts';
import type { Cause } from '../model/plan.ts';
import { policyFor } from '../model/policy.ts';
import { installationOf } from '../model/settings.ts';
import { storedWriteOf } from '../model/source-facts.ts';
import type { WantedSource } from '../model/want.ts';
import type { DecideInput } from './input.ts';
import { replacedBy } from './replaced.ts';

export interface Case {
  readonly input: DecideInput;
  readonly situation: Situation;
  readonly recorded: Ledger | undefined;
  /** The part of the record that is already written and need not be noted again. */
  readonly standing: Ledger | undefined;
  readonly differences: readonly Difference[];
  readonly tooManySources: readonly string[];
}

type Extras = Pick<
  Verdict,
  'because' | 'reverted' | 'revertSettled' | 'podsAreOld' | 'byTimesAlone' | 'foreignSlots'
>;

/** No reload: the current content of all sources is recorded as rolled out. */
export function recordAsRolledOut(c: Case, extras: Extras = {}): Verdict {
  const ledger = recordedLedger(headOf(c), c.differences);
  // A workload that opts in to nothing gets no ledger; one that has a ledger keeps its number.
  const pointless = c.standing === undefined && ledger.sources.size === 0;
  const urgent = !pointless && differs(c, ledger);
  const write = urgent || (!pointless && c.standing?.pendingSince !== undefined);
  return {
    ...headerOf(c),
    action: write ? 'record' : 'nothing',
    record: write ? ledger : undefined,
    recordUrgent: urgent,
    ...extras,
  };
}

export function reload(c: Case, extras: Extras = {}): Verdict {
  const { input, differences, recorded, standing } = c;
  const { want } = input;
  const changed = differences.filter((difference) => difference.reload);
  const byKey = new Map(want.sources.map((source) => [source.key, source]));
  const wanted = changed.map(({ key }) => byKey.get(key)).filter((source) => source !== undefined);
  // A user who may edit the workload can write any config name into its ledger: count and notify only configs that ask
  // now.
  const asking = new Map(
    want.configs.map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, configIdOf(metadata)]),
  );
  const configs = extras.reverted
    ? (recorded?.recent.at(-1)?.configs ?? []).filter((config) => asking.has(config))
    : [...new Set(wanted.flatMap((source) => source.configs))].sort();
  const keys = changed.map(({ key }) => key);
  const policy = policyFor(want, extras.reverted ? (recorded?.recent.at(-1)?.sources ?? []) : keys);
  const unmarked = !leavesMark(input.workload, policy);
  const ledger = reloadedLedger(
    headOf(c, unmarked),
    differences,
    { configs, ...idsOf(configs, asking), sources: keys },
    policy.rateLimit,
    // A reload that leaves no mark on the template cannot be undone, but its sources can be restored.
    policy.verify && (!unmarked || policy.onFailure === 'restore') ? replacedBy(c, changed) : undefined,
  );
  const deferred = deferral(c);
  const urgent = differs(c, deferred);
  return {
    ...headerOf(c),
    action: 'reload',
    record: urgent || standing?.pendingSince !== deferred.pendingSince ? deferred : undefined,
    recordUrgent: urgent,
    fingerprint: extras.reverted ? revertFingerprint(recorded) : fingerprintOf(changed),
    reload: {
      ledger,
      mark: formatMark(ledger),
      causes: changed.map((difference) => causeOf(difference, byKey.get(difference.key))).filter(isCause),
      configs,
      policy,
    },
    ...extras,
  };
}

function idsOf(
  configs: readonly string[],
  asking: ReadonlyMap<string, string>,
): Pick<RecentReload, 'configIds'> {
  const configIds = configs.flatMap((config) => asking.get(config) ?? []);
  return configIds.length > 0 && configIds.length === configs.length ? { configIds } : {};
}

/** No reload yet: the change is recorded as pending, and decided once that is written. */
export function recordAsPending(c: Case, extras: Extras): Verdict {
  return { ...headerOf(c), action: 'record', record: deferral(c), recordUrgent: true, ...extras };
}

/** The ledger while the reload for these differences waits. */
function deferral(c: Case): Ledger {
  const { input, recorded, differences } = c;
  const { memory, now } = input;
  const pendingSince = recorded?.pendingSince ?? Math.floor((memory.pending?.firstSeen ?? now) / 1000);
  return deferredLedger(headOf(c), differences, pendingSince);
}

/** The fingerprint for repeating the reload of the ledger's number. */
export function revertFingerprint(recorded: Ledger | undefined): string {
  return `revert/${recorded?.seq ?? 0}`;
}

export function headerOf(
  c: Case,
): Pick<Verdict, 'situation' | 'base' | 'differences' | 'recorded' | 'tooManySources' | 'changeSeen'> {
  const { situation, differences, recorded, tooManySources, input } = c;
  const changeSeen = newestChange(c);
  return {
    situation,
    base: input.record.base,
    differences,
    recorded,
    ...(changeSeen > 0 && { changeSeen }),
    ...(tooManySources.length > 0 && { tooManySources }),
  };
}

function newestChange({ input }: Case): number {
  let newest = 0;
  for (const { state } of input.want.sources) {
    // Not only the last one: the time of a change that we observed may be of our clock, ahead of the server's.
    for (const { until } of (state.kind === 'present' && state.facts.past) || [])
      newest = Math.max(newest, until);
  }
  return newest;
}

/** True if the new ledger differs from the written one in more than times. */
function differs({ situation, standing, differences }: Case, ledger: Ledger): boolean {
  if (!standing || situation === 'undone') return true;
  // The digests may be equal by chance; the ledger must still be rewritten to name the new key.
  if (differences.some(({ finding }) => finding === 'rekeyed')) return true;
  return !sameSources(standing.sources, ledger.sources);
}

function headOf({ input, recorded }: Case, unmarked?: boolean): LedgerHead {
  const { workload, want, memory, record, install, settings, now } = input;
  const { uid } = workload.metadata;
  const looked = recorded !== undefined && memory.revertSettled === recorded.seq;
  return {
    uid,
    recorded,
    // A number that a status has counted would not be counted again.
    lowestSeq: Math.max(record.highestSeq, highestCounted(want.configs, uid)),
    keyId: install.keyId,
    template: workload.templateDigest,
    sourcesWrittenAt: newestDataWrite(want.sources),
    installation: installationOf(settings),
    unmarked: unmarked ?? (recorded?.unmarked === true || looked),
    now,
  };
}

function newestDataWrite(sources: readonly WantedSource[]): number | undefined {
  const times = sources.flatMap(({ state }) => (state.kind === 'present' ? storedWriteOf(state.facts) : []));
  return times.length > 0 ? Math.max(...times) : undefined;
}

function causeOf({ finding }: Difference, source: WantedSource | undefined): Cause | undefined {
  if (!source) return undefined;
  const { ref, state, container } = source;
  const facts = state.kind === 'present' ? state.facts : undefined;
  return { ref, finding, slot: facts?.slot, writtenAt: facts?.writtenAt, container };
}

const isCause = (cause: Cause | undefined): cause is Cause => cause !== undefined;

const FINGERPRINT_LENGTH = 16;

/** Identifies a set of pending changes: equal for the same sources with the same content. */
export function fingerprintOf(changed: readonly Difference[]): string {
  const parts = changed.map(({ key, next }) => `${key}=${next ? formatEntry(next) : ''}`).sort();
  return hashed('sha256', parts.join('\n'), 'base64url').slice(0, FINGERPRINT_LENGTH);
}
