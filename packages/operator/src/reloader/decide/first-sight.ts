/** A workload without a ledger: adopted as it is, unless there is proof that its pods are older than its sources. */

import { entryOf } from '../ledger/entry.ts';
import { sameEntry } from '../ledger/ledger.ts';
import { bornVersionOf } from '../ledger/remember.ts';
import type { Decision, Difference } from '../model/decision.ts';
import type { Finding } from '../model/plan.ts';
import type { PastContent, SourceFacts } from '../model/source-facts.ts';
import type { WantedSource } from '../model/want.ts';
import { type Case, recordAsRolledOut, reload } from './case.ts';
import { askedSince, mayBeAfterOptIn, seenSince } from './opt-in-times.ts';
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
  const stale = new Map<string, Finding>();
  if (settings.takeover === 'catch-up') for (const key of foreign.keys) stale.set(key, 'changed');
  let isSure = stale.size > 0;
  for (const change of changes) {
    // A CronJob or a Job is not run again for a change that we did not observe: its next run reads the value.
    const isOld = runs ? change.seen : pods?.readSince.some((read) => change.isStale(read));
    if (!isOld) continue;
    stale.set(change.key, change.finding);
    isSure ||= change.seen;
  }
  const pending = differences.map((difference): Difference => {
    const finding = stale.get(difference.key);
    return finding && difference.next ? { ...difference, finding, reload: true } : difference;
  });
  return pending.some((difference) => difference.reload)
    ? reload({ ...c, differences: pending }, { ...extras, ...(!isSure && { byTimesAlone: true }) })
    : recordAsRolledOut(c, { because: 'adopted', ...extras });
}

interface Change {
  readonly key: string;
  readonly finding: Finding;
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
 * there before us, and a creation is a change only with reload-on-create.
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
      return [{ key, finding: 'changed', writtenAt, seen: true, isStale }];
    }
    const change = (finding: Finding, at: number, seen: boolean): Change => ({
      ...{ key, finding, writtenAt, seen },
      isStale: (second) => second <= at,
    });
    if (isCreatedAfterOptIn(source, state.facts, input))
      return [change('created', writtenAt, state.facts.appeared === true)];
    // Writes that we observed are handled above: only the write of the earliest content that we observed is in doubt.
    const facts = { ...state.facts, writtenAt: past[0]?.from ?? writtenAt };
    const isChange = facts.writtenAt > createdAt && facts.writtenAt >= input.install.at;
    if (!isChange || !mayBeAfterOptIn(source, facts, input, askedSince(source, input))) return [];
    return [change('changed', facts.writtenAt, false)];
  });
}

/**
 * With reload-on-create, a creation after the opt-in is a change. A release creates sources and workloads within one
 * second, and the workload last: if their order is unknown, the source was there first.
 */
function isCreatedAfterOptIn(source: WantedSource, facts: SourceFacts, input: Case['input']): boolean {
  const { workload, memory, install } = input;
  const { createdAt, appeared } = facts;
  if (!source.reloadOnCreate || createdAt < install.at || createdAt < workload.createdAt) return false;
  const born = memory.bornVersion ?? bornVersionOf(memory, workload);
  if (createdAt === workload.createdAt && born === undefined) return false;
  const since = appeared ? seenSince(source, input) : askedSince(source, input);
  return mayBeAfterOptIn(source, { ...facts, writtenAt: createdAt }, input, since);
}

/** Contents that we observed earlier and that differ from the current one. */
function contentsBefore({ keys }: WantedSource, facts: SourceFacts): readonly PastContent[] {
  const now = entryOf(facts, keys);
  return (facts.past ?? []).filter((content) => !sameEntry(entryOf(content, keys), now));
}
