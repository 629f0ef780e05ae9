/**
 * Predicts what would happen if a source changed right now: which workloads are reloaded, in which order and when, and
 * which are not and why.
 *
 * In: a ClusterView and a source. Out: a prediction by the engine's own functions. It changes nothing. It holds for
 * this moment: another change before the predicted time invalidates it.
 */

import type { Budget } from '../reloader/model/budget.ts';
import type { SourceRef } from '../reloader/model/source.ts';
import { sourceKey } from '../reloader/model/source.ts';
import { refOf, type WorkloadFacts, workloadKey } from '../reloader/model/workload.ts';
import { fanOutText } from '../reloader/report/fan-out.ts';
import { Room } from '../reloader/schedule/room.ts';
import { references } from '../reloader/want/references.ts';
import { lastMetadataOf } from '../reloader/want/want-subject.ts';
import { changedWorld } from './changed-world.ts';
import type { ClusterView } from './cluster-view.ts';
import { budgetsOf, type Course, courseOf, isCausedBy, type Reload } from './course.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { outlookOf } from './explain.ts';
import { configNamed } from './past.ts';
import type { ChangeKind, Prediction, WhatIf } from './shapes.ts';
import { timeOf, waitOf } from './times.ts';
import { howText, onFailureText, unwantedText } from './words.ts';

export interface WhatIfOptions {
  /** Deleted instead of changed. */
  readonly deleted?: boolean;
  /** Only these keys change. */
  readonly keys?: readonly string[] | undefined;
}

export async function whatIf(
  ref: SourceRef,
  options: WhatIfOptions,
  clusterView: ClusterView,
  signal: AbortSignal,
): Promise<WhatIf> {
  const before = clusterView.world.source(ref);
  const kind: ChangeKind = options.deleted ? 'deleted' : before.kind === 'gone' ? 'created' : 'changed';
  const unseen =
    !clusterView.world.inScope(ref.namespace) || (clusterView.isOperator && before.kind === 'unknown');
  const change = { ref, kind, keys: options.keys, now: clusterView.now() };
  const world = unseen ? clusterView.world : changedWorld(clusterView.world, change);
  const judged: DryRun[] = [];
  for (const workload of candidates(ref, lastMetadataOf(before)?.labels ?? {}, clusterView)) {
    judged.push(await dryRun(workload, { clusterView, world, changed: ref, signal }));
  }
  const reloads = judged.filter((each): each is Reload => isCausedBy(each, ref));
  const others = judged.filter((each) => !isCausedBy(each, ref) && isAbout(each, ref));
  const course = courseOf(reloads, ref, clusterView);
  const warning = fanOutOf(reloads, ref, clusterView);
  return {
    source: ref,
    change: kind,
    ...(warning !== undefined && { warning }),
    ...(course.estimate && { estimate: course.estimate }),
    reloads: inOrder(reloads, ref, clusterView, course),
    others: others
      .map((each) => ({ workload: refOf(each.workload), because: whyNot(each, ref, clusterView) }))
      .sort((a, b) => compareText(workloadKey(a.workload), workloadKey(b.workload))),
  };
}

/** Workloads that opt in to the source, and those that only use it. */
function candidates(
  ref: SourceRef,
  labels: Readonly<Record<string, string>>,
  clusterView: ClusterView,
): Iterable<WorkloadFacts> {
  const found = new Map<string, WorkloadFacts>();
  for (const workload of clusterView.workloads(ref.namespace)) {
    if (references(workload.pod, ref)) found.set(workloadKey(refOf(workload)), workload);
  }
  for (const asked of clusterView.affected(ref, labels)) {
    const workload = clusterView.world.workload(asked);
    if (workload) found.set(workloadKey(asked), workload);
  }
  return found.values();
}

function isAbout({ want, workload }: DryRun, ref: SourceRef): boolean {
  const key = sourceKey(ref);
  return (
    want.sources.some((source) => sourceKey(source.ref) === key) ||
    want.unwanted.some((source) => sourceKey(source.ref) === key) ||
    (workload.metadata.namespace === ref.namespace && references(workload.pod, ref))
  );
}

/** Workloads that only wait for slots are ordered as the budgets let them begin. */
function inOrder(
  reloads: readonly Reload[],
  ref: SourceRef,
  clusterView: ClusterView,
  course: Course,
): Prediction[] {
  const last = Number.POSITIVE_INFINITY;
  const beginOf = ({ workload }: Reload): number => course.begins.get(workloadKey(refOf(workload))) ?? last;
  const sorted = [...reloads].sort(
    (a, b) =>
      beginOf(a) - beginOf(b) || compareText(workloadKey(refOf(a.workload)), workloadKey(refOf(b.workload))),
  );
  const times = [...new Set(sorted.map(beginOf))];
  const room = new Room(clusterView.slots().running);
  return sorted.map((reload) => {
    const { workload, want, at, waits } = reload;
    const source = want.sources.find((each) => sourceKey(each.ref) === sourceKey(ref));
    const full = at === undefined ? undefined : room.full(budgetsOf(reload));
    if (!full) room.take(workloadKey(refOf(workload)));
    const policy = reload.verdict?.reload?.policy ?? want.policy;
    const onFailure = onFailureText(workload.kind, policy, clusterView.settings);
    return {
      workload: refOf(workload),
      ...(beginOf(reload) < last && { order: times.indexOf(beginOf(reload)) + 1 }),
      ...(at !== undefined && { at: timeOf(at) }),
      waits: [...waits.map(waitOf), ...(full ? [{ why: 'capped' as const, message: cappedText(full) }] : [])],
      rule: source?.rule ?? 'config',
      configs: (source?.configs ?? []).map(configNamed),
      how: howText(workload.kind, policy, reload.undoes),
      ...(onFailure !== undefined && { onFailure }),
    };
  });
}

function cappedText({ name, limit }: Budget): string {
  return `${name} allows ${limit} at a time: begins when another has ended`;
}

/** Counts the workloads whose simultaneous restart no budget limits. */
function fanOutOf(reloads: readonly Reload[], ref: SourceRef, { settings }: ClusterView): string | undefined {
  const together = reloads.filter((reload) => reload.at !== undefined && budgetsOf(reload).length === 0);
  const what = `${ref.kind} ${ref.namespace}/${ref.name}`;
  return fanOutText(what, together.length, settings.warnFanOut);
}

function whyNot(result: DryRun, ref: SourceRef, { settings, world }: ClusterView): string {
  const { want, verdict, workload } = result;
  for (const namespace of [workload.metadata.namespace, ref.namespace]) {
    if (!world.inScope(namespace)) return `namespace ${namespace} is not watched`;
  }
  const key = sourceKey(ref);
  const unwanted = want.unwanted.find((each) => sourceKey(each.ref) === key);
  if (unwanted) return unwantedText(unwanted, settings);
  const source = want.sources.find((each) => sourceKey(each.ref) === key);
  if (!source) return 'no annotation and no ReloaderConfig asks for it';
  const difference = verdict?.differences.find((each) => each.key === source.key);
  switch (difference?.finding) {
    case 'created':
    case 'adopted':
      return verdict?.because === 'adopted'
        ? outlookOf(result).because
        : 'a new source is recorded without a reload: --reload-on-create or reloadOnCreate changes that';
    case 'deleted':
      return 'a deletion is recorded without a reload: --reload-on-delete or reloadOnDelete changes that';
    case 'recreated':
      return '--recreate=ignore: it is recorded without a reload';
    case 'unknown':
      return `the operator cannot see it: ${source.state.kind === 'unknown' ? source.state.why : ''}`;
    case 'unchanged':
      return `only the keys ${source.keys?.join(', ') ?? ''} count, and they do not change`;
    default:
      return workload.deleting ? 'it is being deleted' : outlookOf(result).because;
  }
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
