/** Past reloads as answers show them: times as RFC 3339, and objects as references. */
import type { SourceKind, SourceRef } from '../reloader/model/source.ts';
import { type WorkloadRef, workloadKey } from '../reloader/model/workload.ts';
import type { ReloadEntry, WorkloadHistory } from '../reloader/report/history.ts';
import type { ConfigRef, HistoryLine, PastReload } from './shapes.ts';
import { timeOf } from './times.ts';

export function pastReload({ at, sources, configs, alerted: _, ...entry }: ReloadEntry): PastReload {
  return {
    ...entry,
    at: timeOf(at * 1000),
    sources: sources.map(sourceNamed),
    configs: configs.map(configNamed),
  };
}

/** The newest first; of one namespace or all. */
export function linesOf(
  histories: Iterable<readonly [WorkloadRef, WorkloadHistory]>,
  namespace: string | undefined,
): HistoryLine[] {
  const lines: HistoryLine[] = [];
  for (const [workload, { reloads }] of histories) {
    if (namespace !== undefined && workload.namespace !== namespace) continue;
    for (const entry of reloads) lines.push({ workload, ...pastReload(entry) });
  }
  return lines.sort(
    (a, b) =>
      compare(b.at, a.at) || b.seq - a.seq || compare(workloadKey(a.workload), workloadKey(b.workload)),
  );
}

/** From `Secret shop/credentials`. */
function sourceNamed(text: string): SourceRef {
  const [kind = '', rest = ''] = text.split(' ');
  return { kind: kind as SourceKind, ...configNamed(rest) };
}

/** From `namespace/name`. */
export function configNamed(text: string): ConfigRef {
  const [namespace = '', name = ''] = text.split('/');
  return { namespace, name };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
