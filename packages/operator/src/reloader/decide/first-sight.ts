/** A workload without a ledger: adopted as it is, unless something proves that its pods are older than its sources. */

import { compareVersions } from '@reloader/runtime';
import { entryOf } from '../ledger/entry.ts';
import { sameEntry } from '../ledger/ledger.ts';
import { bornVersionOf } from '../ledger/remember.ts';
import type { Decision, Difference } from '../model/decision.ts';
import type { PastContent, SourceFacts } from '../model/source-facts.ts';
import type { WantedSource } from '../model/want.ts';
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
    // Nothing runs a CronJob or a Job again for a change that nobody saw: its next run reads the value.
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
  /** This process saw it happen, and so knows what was there before. */
  readonly seen: boolean;
  /** What a pod that has read its sources at this second has is not what is there now. */
  readonly isStale: (second: number) => boolean;
}

/**
 * Sources that changed since the workload asks for them and before anything was recorded: because we saw that happen,
 * or because their data was written after their own creation and after our install, while we were away. Everything
 * older was there before us, and a creation is no change.
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
    // Of what we saw written nothing is left to doubt.
    const facts = { ...state.facts, writtenAt: past[0]?.from ?? writtenAt };
    const isChange = facts.writtenAt > createdAt && facts.writtenAt >= input.install.at;
    if (!isChange || !mayBeAfterOptIn(source, facts, input, askedSince(source, input))) return [];
    return [{ key, writtenAt, seen: false, isStale: (second) => second <= facts.writtenAt }];
  });
}

/** What we saw there before, other than what is there now. */
function contentsBefore({ keys }: WantedSource, facts: SourceFacts): readonly PastContent[] {
  const now = entryOf(facts, keys);
  return (facts.past ?? []).filter((content) => !sameEntry(entryOf(content, keys), now));
}

/** Within one second the versions of the server decide where they can, and otherwise it counts as later. */
function mayBeAfterOptIn(
  source: WantedSource,
  { writtenAt, metadata }: SourceFacts,
  { workload, memory, optInSeen }: Case['input'],
  since: number,
): boolean {
  const order = (version: string): number => compareVersions(version, metadata.resourceVersion) ?? 0;
  for (const { namespace } of [workload.metadata, metadata]) {
    const letIn = optInSeen.namespaces.get(namespace);
    if (letIn !== undefined && writtenAt <= letIn) return false;
  }
  // What we see is the workload as it was annotated, however little its managedFields tell of the time.
  if (source.annotated && optInSeen.annotation) return order(workload.metadata.resourceVersion) < 0;
  if (writtenAt !== since) return writtenAt > since;
  if (!source.annotated && optInSeen.config) return false;
  const born = memory.bornVersion ?? bornVersionOf(memory, workload);
  return born === undefined || workload.createdAt !== since || order(born) < 0;
}

/** Where a flag or the Namespace asks, it does so for as long as this process has looked, unless we saw it begin. */
function seenSince(source: WantedSource, input: Case['input']): number {
  return isStanding(source) ? input.workload.createdAt : askedSince(source, input);
}

/** Seconds since the epoch: whoever asked first, the workload's annotations or a ReloaderConfig. */
function askedSince(source: WantedSource, { workload, want }: Case['input']): number {
  const asked = want.configs
    .filter(({ metadata }) => source.configs.includes(`${metadata.namespace}/${metadata.name}`))
    .map(({ specWrittenAt }) => specWrittenAt);
  // Nobody knows since when a flag or a Namespace has asked.
  if (source.annotated && !isStanding(source)) asked.push(workload.annotatedAt);
  return Math.max(workload.createdAt, asked.length > 0 ? Math.min(...asked) : Number.POSITIVE_INFINITY);
}

function isStanding({ from }: WantedSource): boolean {
  return from === 'setting' || from === 'namespace';
}
