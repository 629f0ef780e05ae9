/** Warns how many workloads one source would restart at the same time, if there are more than the configured limit. */

import { pause } from '../pace/pieces.ts';
import { ledgerKey } from '../reloader/ledger/ledger.ts';
import type { SourceRef } from '../reloader/model/source.ts';
import type { WantedSource } from '../reloader/model/want.ts';
import type { WorkloadRef } from '../reloader/model/workload.ts';
import { fanOutText } from '../reloader/report/fan-out.ts';
import { wantOf } from '../reloader/want/want.ts';
import { lastMetadataOf } from '../reloader/want/want-subject.ts';
import type { ClusterView } from './cluster-view.ts';
import type { Explanation } from './shapes.ts';

/** The reason of the note. */
export const LARGE_FAN_OUT = 'LargeFanOut';

export async function largeFanOuts(
  sources: readonly WantedSource[],
  clusterView: ClusterView,
): Promise<Explanation['notes']> {
  const { settings } = clusterView;
  if (settings.warnFanOut === 0) return [];
  const notes: { reason: string; message: string }[] = [];
  for (const { ref, state } of sources) {
    const affected = clusterView.affected(ref, lastMetadataOf(state)?.labels ?? {});
    // A plan for each of them takes time: only for sources that may exceed the limit.
    if (affected.length <= settings.warnFanOut) continue;
    let together = 0;
    for (const each of affected) {
      const full = pause();
      if (full) await full;
      if (isUnlimited(each, ref, clusterView)) together += 1;
    }
    const what = `${ref.kind} ${ref.namespace}/${ref.name}`;
    const message = fanOutText(what, together, settings.warnFanOut);
    if (message !== undefined) notes.push({ reason: LARGE_FAN_OUT, message });
  }
  return notes;
}

function isUnlimited(each: WorkloadRef, ref: SourceRef, { world, settings }: ClusterView): boolean {
  const workload = world.workload(each);
  const want = workload && wantOf(workload, world, settings);
  const key = ledgerKey(ref, each.namespace);
  const source = want?.sources.find((wanted) => wanted.key === key);
  if (!want || !source) return false;
  const { own, byConfig } = want.policies;
  const isLimited = byConfig.some(
    ({ config, budgets }) => budgets.length > 0 && source.configs.includes(config),
  );
  return own.budgets.length === 0 && !isLimited;
}
