/**
 * The notebook knows a workload of this name with another uid. Mostly that one is gone with its pods, and this one is
 * adopted as any new one. But who deletes a workload and lets its pods stay (`--cascade=orphan`) and creates it anew
 * keeps pods that may wait for a change: for those the old record still counts.
 */
import type { AskPods, Verdict } from '../model/decision.ts';
import { type Case, recordAsRolledOut, reload } from './case.ts';
import { newestWrite } from './changed-sources.ts';

export function createdAnew(c: Case): Verdict | AskPods {
  const { workload, pods } = c.input;
  const changed = c.differences.filter((difference) => difference.reload);
  // Neither keeps pods that would read a value again.
  const runsOnce = workload.kind === 'CronJob' || workload.kind === 'Job';
  if (changed.length === 0 || runsOnce) return recordAsRolledOut(c, { because: 'adopted' });
  // Until its controller has looked, the pods that stayed are not its own, and nobody would find them.
  if (!pods) return { action: 'ask-pods', why: 'recreated', waitForRollout: true };
  const orphans = pods.readSince.filter((read) => read < workload.createdAt);
  return orphans.some((read) => read <= newestWrite(c, changed))
    ? reload(c, { podsAreOld: true })
    : recordAsRolledOut(c, { because: 'adopted' });
}
