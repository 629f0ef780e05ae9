/**
 * The notebook has a record for a workload of this name with another uid. Mostly that one is gone with its pods, and
 * this one is decided about like any new workload. But after `kubectl delete --cascade=orphan` and a re-creation, the
 * old pods stay and may wait for a change: for those, the old record still counts.
 */
import type { Decision } from '../model/decision.ts';
import { type Case, reload } from './case.ts';
import { newestWrite } from './changed-sources.ts';
import { firstSight } from './first-sight.ts';

export function createdAnew(c: Case): Decision {
  const { workload, pods } = c.input;
  const changed = c.differences.filter((difference) => difference.reload);
  // Neither kind keeps pods that would need a reload.
  const runsOnce = workload.kind === 'CronJob' || workload.kind === 'Job';
  if (changed.length > 0 && !runsOnce) {
    // Until the controller has adopted the orphaned pods, they have no owner and we would not find them.
    if (!pods) return { action: 'ask-pods', why: 'recreated', waitForRollout: true };
    const orphans = pods.readSince.filter((read) => read < workload.createdAt);
    if (orphans.some((read) => read <= newestWrite(c, changed))) return reload(c, { podsAreOld: true });
  }
  const differences = c.differences.map((difference) => ({ ...difference, reload: false }));
  return firstSight({ ...c, differences });
}
