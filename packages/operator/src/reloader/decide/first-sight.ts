/** A workload without a ledger: adopted as it is, unless there is proof that its pods are older than its sources. */

import { compareVersions } from '@reloader/runtime';
import { entryOf } from '../ledger/entry.ts';
import { sameEntry } from '../ledger/ledger.ts';
import { bornVersionOf } from '../ledger/remember.ts';
import type { Decision, Difference } from '../model/decision.ts';
import type { PastContent, SourceFacts } from '../model/source-facts.ts';
import type { Want, WantedSource } from '../model/want.ts';
import { type Case, recordAsRolledOut, reload } from './case.ts';
import { foreignSlots } from './takeover.ts';

export function firstSight(c: Case): Decision {
  const { input, situation, differences } = c;
  const { workload, want, settings, pods } = input;
  const foreign =
    situation === 'first-sight'
      ? foreignSlots(workload, want.sources)
      : { slots: [], keys: new Set<string>() };
  const extras = foreign.slots.length > 0 ? { foreignSlots: foreign.slots } : {};
  const changes = changedUnrecorded(c);
  const runs = workload.kind === 'CronJob' || workload.kind === 'Job';
  if (changes.length > 0 && !pods && !runs) {
    const newest = Math.max(...changes.map(({ writtenAt }) => writtenAt));
    return { action: 'ask-pods', why: 'away', waitForRollout: workload.templateWrittenAt >= newest };
  }
  const stale = new Set(settings.takeover === 'catch-up' ? foreign.keys : []);
  let isSure = stale.size > 0;
  for (const change of changes) {
    // A CronJob or a Job is not run again for a change that we did not observe: its next run reads the value.
    const isOld = runs ? change.seen : pods?.readSince.some((read) => change.isStale(read));
    if (!isOld) continue;
    stale.add(change.key);
    isSure ||= change.seen;
  }
  const pending = differences.map(
    (difference): Difference =>
      stale.has(difference.key) && difference.next
        ? { ...difference, finding: 'changed', reload: true }
        : difference,
  );
  return pending.some((difference) => difference.reload)
    ? reload({ ...c, differences: pending }, { ...extras, ...(!isSure && { byTimesAlone: true }) })
    : recordAsRolledOut(c, { because: 'adopted', ...extras });
}

interface Change {
  readonly key: string;
  /** Seconds since the epoch. */
  readonly writtenAt: number;
  /** This process observed the change, and so knows the content before it. */
  readonly seen: boolean;
  /** True if a pod that read its sources at this second holds another content than the current one. */
  readonly isStale: (second: number) => boolean;
}

/**
 * Sources that changed after the workload opted in and before anything was recorded: because we observed the change, or
 * because their data was written after their own creation and after our install, while we were away. Older writes were
 * there before us, and a creation is not a change.
 */
function changedUnrecorded({ input }: Case): Change[] {
  return input.want.sources.flatMap((source): Change[] => {
    const { key, state } = source;
    if (state.kind !== 'present') return [];
    const { createdAt, writtenAt, past = [] } = state.facts;
    const others = contentsBefore(source, state.facts);
    if (others.length > 0 && mayBeAfterOptIn(source, state.facts, input, seenSince(source, input))) {
      const isStale = (second: number): boolean =>
        others.some(({ first, from, until }) => second <= until && (first || second >= from));
      return [{ key, writtenAt, seen: true, isStale }];
    }
    // Writes that we observed are handled above: only the write of the earliest content that we observed is in doubt.
    const facts = { ...state.facts, writtenAt: past[0]?.from ?? writtenAt };
    const isChange = facts.writtenAt > createdAt && facts.writtenAt >= input.install.at;
    if (!isChange || !mayBeAfterOptIn(source, facts, input, askedSince(source, input))) return [];
    return [{ key, writtenAt, seen: false, isStale: (second) => second <= facts.writtenAt }];
  });
}

/** Contents that we observed earlier and that differ from the current one. */
function contentsBefore({ keys }: WantedSource, facts: SourceFacts): readonly PastContent[] {
  const now = entryOf(facts, keys);
  return (facts.past ?? []).filter((content) => !sameEntry(entryOf(content, keys), now));
}

/** Within one second, resourceVersions decide where they can be compared; otherwise the write counts as later. */
function mayBeAfterOptIn(
  source: WantedSource,
  { writtenAt, metadata }: SourceFacts,
  { workload, want, memory, optInSeen }: Case['input'],
  since: number,
): boolean {
  const compared = (version: string): number | undefined =>
    compareVersions(version, metadata.resourceVersion);
  const order = (version: string): number => compared(version) ?? 0;
  const letIns = [workload.metadata, metadata].map(({ namespace }) => optInSeen.namespaces.get(namespace));
  if (isSelectedByNamespace(source, want)) letIns.push(optInSeen.labelled.get(metadata.namespace));
  for (const letIn of letIns) {
    // Our clock may be ahead of the server's: times decide only where resourceVersions cannot.
    if (letIn && (compared(letIn.version) ?? letIn.at - writtenAt) >= 0) return false;
  }
  // We saw the annotation being added, so compare resourceVersions: the time in managedFields may be missing.
  if (source.annotated && optInSeen.annotation !== undefined) return order(optInSeen.annotation) < 0;
  if (writtenAt !== since) return writtenAt > since;
  if (!source.annotated && optInSeen.config) return false;
  const born = memory.bornVersion ?? bornVersionOf(memory, workload);
  return born === undefined || workload.createdAt !== since || order(born) < 0;
}

/** An opt-in by flag or Namespace counts from the workload's creation, unless we saw it begin. */
function seenSince(source: WantedSource, input: Case['input']): number {
  return isStanding(source) ? input.workload.createdAt : askedSince(source, input);
}

function configsAsking(source: WantedSource, { configs }: Want): Want['configs'] {
  return configs.filter(({ metadata }) => source.configs.includes(`${metadata.namespace}/${metadata.name}`));
}

/** Only ReloaderConfigs ask for it, each because its `namespaceSelector` selects the source's Namespace. */
function isSelectedByNamespace(source: WantedSource, want: Want): boolean {
  return (
    !source.annotated &&
    configsAsking(source, want).every(({ namespaceSelector }) => namespaceSelector !== undefined)
  );
}

/** Seconds since the epoch: the earlier of the opt-ins by annotation and by ReloaderConfig. */
function askedSince(source: WantedSource, { workload, want }: Case['input']): number {
  const asked = configsAsking(source, want).map(({ specWrittenAt }) => specWrittenAt);
  // The time of an opt-in by flag or Namespace is unknown.
  if (source.annotated && !isStanding(source)) asked.push(workload.annotatedAt);
  return Math.max(workload.createdAt, asked.length > 0 ? Math.min(...asked) : Number.POSITIVE_INFINITY);
}

function isStanding({ from }: WantedSource): boolean {
  return from === 'setting' || from === 'namespace';
}
