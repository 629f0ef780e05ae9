/** A workload without a ledger: adopted as it is, unless something proves that its pods are older than its sources. */

import { entryOf } from '../ledger/entry.ts';
import { sameEntry } from '../ledger/ledger.ts';
import type { Decision, Difference } from '../model/decision.ts';
import type { WantedSource } from '../model/want.ts';
import { type Case, reload, settled } from './case.ts';
import { foreignSlots } from './takeover.ts';
import { isOlderThan } from './weigh.ts';

export function firstSight(c: Case): Decision {
  const { input, situation, differences } = c;
  const { workload, want, settings, pods } = input;
  const foreign =
    situation === 'first-sight'
      ? foreignSlots(workload, want.sources)
      : { slots: [], keys: new Set<string>() };
  const extras = foreign.slots.length > 0 ? { foreignSlots: foreign.slots } : {};
  const doubtful = changedUnrecorded(c);
  if (doubtful.length > 0 && !pods) {
    const newest = Math.max(...doubtful.map(({ writtenAt }) => writtenAt));
    return { action: 'ask-pods', why: 'away', waitForRollout: workload.templateWrittenAt >= newest };
  }
  const stale = new Set(settings.takeover === 'catch-up' ? foreign.keys : []);
  for (const { key, writtenAt } of doubtful) if (pods && isOlderThan(pods, writtenAt)) stale.add(key);
  const pending = differences.map(
    (difference): Difference =>
      stale.has(difference.key) && difference.next
        ? { ...difference, finding: 'changed', reload: true }
        : difference,
  );
  return pending.some((difference) => difference.reload)
    ? reload({ ...c, differences: pending }, extras)
    : settled(c, { because: 'adopted', ...extras });
}

/**
 * Sources that changed after the workload asked for them and before anything was recorded: because we saw that happen,
 * or because their data was written after their own creation and after our install, while we were away. Everything
 * older was there before us, and a creation is no change. A CronJob has no pods that could be too old.
 */
function changedUnrecorded({ input }: Case): { readonly key: string; readonly writtenAt: number }[] {
  const { workload, want, install } = input;
  if (workload.kind === 'CronJob') return [];
  return want.sources.flatMap((source) => {
    const { key, state, keys } = source;
    if (state.kind !== 'present') return [];
    const { createdAt, writtenAt, past = [], changedEarly } = state.facts;
    const isSeen =
      changedEarly === true &&
      past.some((content) => !sameEntry(entryOf(content, keys), entryOf(state.facts, keys)));
    const isFound = workload.createdAt > install.at && writtenAt > createdAt;
    const isChange = (isSeen || isFound) && writtenAt > askedSince(source, input);
    return isChange ? [{ key, writtenAt }] : [];
  });
}

/** Seconds since the epoch: whoever asked first, the workload's annotations or a ReloaderConfig. */
function askedSince({ annotated, configs }: WantedSource, { workload, want }: Case['input']): number {
  const byConfig = want.configs
    .filter(({ metadata }) => configs.includes(`${metadata.namespace}/${metadata.name}`))
    .map(({ createdAt }) => createdAt);
  const asked = annotated ? [workload.annotatedAt, ...byConfig] : byConfig;
  return Math.max(workload.createdAt, asked.length > 0 ? Math.min(...asked) : 0);
}
