/**
 * Sources changed since the workload was rolled out. Decides whether we have to reload, or whether another client's
 * template change already brought the new values. Where the order of events is unclear, the ages of the pods decide.
 */
import { compareVersions } from '@reloader/runtime';
import { isMarkMissing } from '../ledger/marks.ts';
import type { Decision, Difference, PodEvidence } from '../model/decision.ts';
import { coversWritesUntil, type Ledger } from '../model/ledger.ts';
import type { PendingChange } from '../model/memory.ts';
import { type Case, fingerprintOf, recordAsRolledOut, reload } from './case.ts';

export function decideChanged(given: Case, recorded: Ledger): Decision {
  const incomparable = new Set(given.differences.filter((each) => each.incomparable).map(({ key }) => key));
  if (incomparable.size === 0) return decideComparable(given, recorded);
  // While the reload waits, the source is noted as never rolled out: digests of the old and the new key cannot be
  // compared.
  const sources = new Map([...recorded.sources].filter(([key]) => !incomparable.has(key)));
  const decision = decideComparable({ ...given, recorded: { ...recorded, sources } }, recorded);
  return decision.action === 'ask-pods' ? decision : { ...decision, recorded };
}

function decideComparable(given: Case, recorded: Ledger): Decision {
  const { input, situation } = given;
  const { workload, memory, pods } = input;
  const certain = given.differences.filter((difference) => difference.reload);
  const isCertain = certain.length > 0;
  // A CronJob's template change creates no pods by itself, and no Job is run for a source that cannot be compared.
  if (workload.kind === 'CronJob' || (workload.kind === 'Job' && !isCertain)) {
    return isCertain && !isBornAfter(given, certain)
      ? reload(given)
      : recordAsRolledOut(given, { because: 'adopted' });
  }
  const c = { ...given, differences: given.differences.map(counted) };
  const changed = c.differences.filter((difference) => difference.reload);
  const { newest, deletions } = writesOf(c, changed);
  if (!deletions && isBornAfter(c, changed)) return recordAsRolledOut(c, { because: 'pods-are-new' });
  const pending = sameChange(memory.pending, changed);
  const templateIsNewer = workload.templateWrittenAt >= newest;
  const changedMeanwhile = pending !== undefined && pending.template !== workload.templateDigest;
  if (changedMeanwhile && templateIsNewer) return recordAsRolledOut(c, { because: 'template-changed' });
  if (situation === 'recorded' && isOneRelease(c, changed, recorded)) {
    return recordAsRolledOut(c, { because: 'template-changed' });
  }
  if (pending && pending.podsWereOldAt === workload.templateWrittenAt && !changedMeanwhile) {
    return reload(c, { podsAreOld: true });
  }
  if (deletions && isCertain && situation !== 'undone') return reload(c);

  // A write that only removes our mark does not update the time in managedFields, but it starts a rollout all the same.
  const stripped = isMarkMissing(workload, input.want.policy, recorded);
  const doubt =
    !isCertain ||
    stripped ||
    changedMeanwhile ||
    situation === 'undone' ||
    situation === 'restored-from-mark' ||
    (templateIsNewer && mayBeRolledOut(c, recorded));
  if (!doubt) return reload(c);
  if (!pods) {
    // A template older than the change has no rollout that could bring the new values, so there is no rollout to wait
    // for.
    const waitForRollout = templateIsNewer || stripped || situation === 'undone';
    return { action: 'ask-pods', why: isCertain ? 'template-changed' : 'other-key', waitForRollout };
  }
  if (hasOldPods(c, changed, recorded, pods)) {
    const isSure = isCertain || sawChange(c, changed);
    return reload(c, { podsAreOld: true, ...(!isSure && { byTimesAlone: true }) });
  }
  return recordAsRolledOut(c, { because: situation === 'undone' ? 'undone' : 'pods-are-new' });
}

/**
 * We saw the workload being created after all of these writes, so its pods are newer, too: only the events of the
 * sources came late. Within one second, resourceVersions decide.
 */
function isBornAfter({ input }: Case, changed: readonly Difference[]): boolean {
  const { workload, want, memory } = input;
  const { bornVersion } = memory;
  if (bornVersion === undefined) return false;
  const keys = new Set(changed.map(({ key }) => key));
  return want.sources
    .filter(({ key }) => keys.has(key))
    .every(({ state }) => {
      if (state.kind !== 'present') return false;
      const { writtenAt, metadata } = state.facts;
      if (workload.createdAt !== writtenAt) return workload.createdAt > writtenAt;
      return (compareVersions(bornVersion, metadata.resourceVersion) ?? 0) > 0;
    });
}

/** This process observed the earlier content of one of the sources, whether or not the record can be compared. */
function sawChange({ input }: Case, changed: readonly Difference[]): boolean {
  const keys = new Set(changed.map(({ key }) => key));
  return input.want.sources.some(
    ({ key, state }) => keys.has(key) && state.kind === 'present' && state.facts.past !== undefined,
  );
}

/** A source that cannot be compared counts as changed: the pods decide. */
function counted(difference: Difference): Difference {
  return difference.incomparable ? { ...difference, reload: true } : difference;
}

/** True if a living pod may have read its sources before this second. */
export function isOlderThan({ readSince }: PodEvidence, second: number): boolean {
  return readSince.some((read) => read < second);
}

/**
 * True if a living pod may have read one of the sources before its last write. Within one second the order is unknown,
 * and we reload: an unneeded restart is better than a value that is never rolled out. A change whose write time is not
 * newer than the record removed keys, which does not update the time in managedFields. A source that cannot be compared
 * may not have changed at all.
 */
function hasOldPods(
  c: Case,
  changed: readonly Difference[],
  recorded: Ledger,
  { readSince }: PodEvidence,
): boolean {
  const byKey = new Map(changed.map((difference) => [difference.key, difference]));
  return c.input.want.sources.some(({ key, state }) => {
    const difference = byKey.get(key);
    if (!difference || state.kind !== 'present') return false;
    const { writtenAt, past } = state.facts;
    if (readSince.some((read) => read <= writtenAt)) return true;
    if (difference.incomparable) return false;
    return writtenAt <= coversWritesUntil(recorded) && past === undefined && readSince.length > 0;
  });
}

/**
 * One tool wrote the sources and another template in the same second, as a Helm upgrade does, which writes the sources
 * first.
 */
function isOneRelease({ input }: Case, changed: readonly Difference[], recorded: Ledger): boolean {
  const { templateDigest, templateWrittenAt, templateWrittenBy } = input.workload;
  if (templateDigest === recorded.template || templateWrittenBy === '') return false;
  const { template } = input.memory;
  // An earlier release changed the template; this one wrote only other parts of the workload.
  if (template?.digest === templateDigest && template.since !== templateWrittenAt) return false;
  const keys = new Set(changed.map(({ key }) => key));
  return input.want.sources
    .filter(({ key }) => keys.has(key))
    .every(
      ({ state }) =>
        state.kind === 'present' &&
        state.facts.writtenAt === templateWrittenAt &&
        state.facts.writtenBy === templateWrittenBy,
    );
}

/**
 * For a template that was written after the sources, by the clock. Either it differs from the recorded one; or it is
 * equal but was written since: a user changed it and changed it back, or undid a rollout while we were away, which
 * restores our ledger, too. A write to other parts of the workload looks the same.
 */
function mayBeRolledOut({ input }: Case, recorded: Ledger): boolean {
  const { workload } = input;
  return workload.templateDigest !== recorded.template || workload.templateWrittenAt > recorded.writtenAt;
}

function sameChange(
  pending: PendingChange | undefined,
  changed: readonly Difference[],
): PendingChange | undefined {
  return pending?.fingerprint === fingerprintOf(changed) ? pending : undefined;
}

/** Seconds since the epoch: the newest write to the sources that changed. */
export function newestWrite(c: Case, changed: readonly Difference[]): number {
  return writesOf(c, changed).newest;
}

/** Seconds since the epoch of the newest write, and whether a source was deleted: the time of a deletion is unknown. */
function writesOf(
  { input }: Case,
  changed: readonly Difference[],
): { readonly newest: number; readonly deletions: boolean } {
  const keys = new Set(changed.map(({ key }) => key));
  const wanted = input.want.sources.filter(({ key }) => keys.has(key));
  return {
    newest: Math.max(0, ...wanted.map(({ state }) => (state.kind === 'present' ? state.facts.writtenAt : 0))),
    deletions: wanted.some(({ state }) => state.kind === 'gone'),
  };
}
