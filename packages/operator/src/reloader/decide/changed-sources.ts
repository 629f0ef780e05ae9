/**
 * Sources changed since the workload was rolled out. Is that for us to do, or did somebody who changed the template
 * bring the new values already? Where the order of events leaves a doubt, the pods have the last word.
 */
import { compareVersions } from '@reloader/runtime';
import { isMarkMissing } from '../ledger/marks.ts';
import type { Decision, Difference, PodEvidence } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { PendingChange } from '../model/memory.ts';
import { type Case, fingerprintOf, recordAsRolledOut, reload } from './case.ts';

export function decideChanged(given: Case, recorded: Ledger): Decision {
  const incomparable = new Set(given.differences.filter((each) => each.incomparable).map(({ key }) => key));
  if (incomparable.size === 0) return decideComparable(given, recorded);
  // While the reload waits, it is noted as never rolled out: a digest of the old key says nothing under the new one.
  const sources = new Map([...recorded.sources].filter(([key]) => !incomparable.has(key)));
  const decision = decideComparable({ ...given, recorded: { ...recorded, sources } }, recorded);
  return decision.action === 'ask-pods' ? decision : { ...decision, recorded };
}

function decideComparable(given: Case, recorded: Ledger): Decision {
  const { input, situation } = given;
  const { workload, memory, pods } = input;
  const isCertain = given.differences.some((difference) => difference.reload);
  // A template of a CronJob makes no pods by itself, and nothing is run for what cannot be compared.
  if (workload.kind === 'CronJob' || (workload.kind === 'Job' && !isCertain)) {
    return isCertain ? reload(given) : recordAsRolledOut(given, { because: 'adopted' });
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

  // Who only takes our marks off leaves no time behind, and rolls the workload all the same.
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
    // An older template has no rollout that would bring the new values: no use in waiting for its end.
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
 * We saw the workload being created after all of these writes, so its pods were, too: only the events of the sources
 * came late. Within one second the server's own order decides.
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

/** This process knows what was there before, whatever the record can tell. */
function sawChange({ input }: Case, changed: readonly Difference[]): boolean {
  const keys = new Set(changed.map(({ key }) => key));
  return input.want.sources.some(
    ({ key, state }) => keys.has(key) && state.kind === 'present' && state.facts.past !== undefined,
  );
}

/** What cannot be compared is weighed as a change is: the pods decide. */
function counted(difference: Difference): Difference {
  return difference.incomparable ? { ...difference, reload: true } : difference;
}

/** A pod that may have read its sources before this second still lives. */
export function isOlderThan({ readSince }: PodEvidence, second: number): boolean {
  return readSince.some((read) => read < second);
}

/**
 * A living pod may have read one of the sources before its last write. Within one second nobody knows the order, and the
 * reload is decided for: one restart too many is a nuisance, a value that is not rolled out is what we are here to
 * prevent. A write that is not newer than the record took keys away, which leaves no time behind; of what cannot be compared
 * nobody knows that it changed at all.
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
    return writtenAt <= recorded.writtenAt && past === undefined && readSince.length > 0;
  });
}

/** One tool wrote the sources and another template in the same second, as a Helm upgrade does: the sources come first. */
function isOneRelease({ input }: Case, changed: readonly Difference[], recorded: Ledger): boolean {
  const { templateDigest, templateWrittenAt, templateWrittenBy } = input.workload;
  if (templateDigest === recorded.template || templateWrittenBy === '') return false;
  const { template } = input.memory;
  // An earlier release changed the template, and this one only wrote to other parts of the workload.
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
 * For a template that was written after the sources, by the clock. Either it is not the one we recorded; or it is, but
 * written since: somebody went there and back, or undid a rollout while we were
 * away, which restores our ledger with it. A write to other parts of the workload looks the same.
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

/** Seconds since the epoch of the newest write; and whether a source is gone, of which nobody can tell since when. */
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
