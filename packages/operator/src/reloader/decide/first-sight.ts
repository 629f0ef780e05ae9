/** A workload without a ledger: adopted as it is, unless something proves that its pods are older than its sources. */

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
  const doubtful = writtenWhileAway(c);
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
 * Sources that were written after a workload which is younger than our install: nothing recorded them because we were
 * away. Everything older than the install was there before us. A CronJob has no pods that could be too old.
 */
function writtenWhileAway({ input }: Case): { readonly key: string; readonly writtenAt: number }[] {
  const { workload, want, install } = input;
  if (workload.kind === 'CronJob' || workload.createdAt <= install.at) return [];
  const written = ({ key, state }: WantedSource): { key: string; writtenAt: number }[] =>
    state.kind === 'present' && state.facts.writtenAt > workload.createdAt
      ? [{ key, writtenAt: state.facts.writtenAt }]
      : [];
  return want.sources.flatMap(written);
}
