/**
 * What would happen if a source changed right now: who is reloaded, in which order, when, and who is not and why.
 *
 * In: an observer and a source. Out: a prediction by the engine's own functions. It changes nothing. It holds for this
 * moment: another change before the time that it names is another story.
 */

import type { Budget } from '../reloader/model/budget.ts';
import type { SourceRef } from '../reloader/model/source.ts';
import { sourceKey } from '../reloader/model/source.ts';
import { refOf, type WorkloadFacts, workloadKey } from '../reloader/model/workload.ts';
import { fanOutText } from '../reloader/report/fan-out.ts';
import { Room } from '../reloader/schedule/room.ts';
import { references } from '../reloader/want/references.ts';
import { wordsOf } from '../reloader/want/want-subject.ts';
import { changedWorld } from './changed-world.ts';
import { budgetsOf, type Course, courseOf, isCausedBy, type Reload } from './course.ts';
import { outlookOf } from './explain.ts';
import { type Judgement, judge } from './judge.ts';
import type { Observer } from './observer.ts';
import { configNamed } from './past.ts';
import { breather } from './pieces.ts';
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
  observer: Observer,
  signal: AbortSignal,
): Promise<WhatIf> {
  const before = observer.world.source(ref);
  const kind: ChangeKind = options.deleted ? 'deleted' : before.kind === 'gone' ? 'created' : 'changed';
  const unseen = !observer.world.inScope(ref.namespace) || (observer.isOperator && before.kind === 'unknown');
  const change = { ref, kind, keys: options.keys, now: observer.now() };
  const world = unseen ? observer.world : changedWorld(observer.world, change);
  const judged: Judgement[] = [];
  const breathe = breather();
  for (const workload of candidates(ref, wordsOf(before)?.labels ?? {}, observer)) {
    judged.push(await judge(workload, { observer, world, changed: ref, signal }));
    await breathe();
  }
  const reloads = judged.filter((each): each is Reload => isCausedBy(each, ref));
  const others = judged.filter((each) => !isCausedBy(each, ref) && isAbout(each, ref));
  const course = courseOf(reloads, ref, observer);
  const warning = fanOutOf(reloads, ref, observer);
  return {
    source: ref,
    change: kind,
    ...(warning !== undefined && { warning }),
    ...(course.estimate && { estimate: course.estimate }),
    reloads: inOrder(reloads, ref, observer, course),
    others: others
      .map((each) => ({ workload: refOf(each.workload), because: whyNot(each, ref, observer) }))
      .sort((a, b) => compareText(workloadKey(a.workload), workloadKey(b.workload))),
  };
}

/** Those that ask for it, and those that only use it. */
function candidates(
  ref: SourceRef,
  labels: Readonly<Record<string, string>>,
  observer: Observer,
): Iterable<WorkloadFacts> {
  const found = new Map<string, WorkloadFacts>();
  for (const workload of observer.workloads(ref.namespace)) {
    if (references(workload.pod, ref)) found.set(workloadKey(refOf(workload)), workload);
  }
  for (const asked of observer.concerned(ref, labels)) {
    const workload = observer.world.workload(asked);
    if (workload) found.set(workloadKey(asked), workload);
  }
  return found.values();
}

function isAbout({ want, workload }: Judgement, ref: SourceRef): boolean {
  const key = sourceKey(ref);
  return (
    want.sources.some((source) => sourceKey(source.ref) === key) ||
    want.unwanted.some((source) => sourceKey(source.ref) === key) ||
    (workload.metadata.namespace === ref.namespace && references(workload.pod, ref))
  );
}

/** Those that only wait for slots come one after the other, in the order in which budgets let them begin. */
function inOrder(
  reloads: readonly Reload[],
  ref: SourceRef,
  observer: Observer,
  course: Course,
): Prediction[] {
  const last = Number.POSITIVE_INFINITY;
  const beginOf = ({ workload }: Reload): number => course.begins.get(workloadKey(refOf(workload))) ?? last;
  const sorted = [...reloads].sort(
    (a, b) =>
      beginOf(a) - beginOf(b) || compareText(workloadKey(refOf(a.workload)), workloadKey(refOf(b.workload))),
  );
  const times = [...new Set(sorted.map(beginOf))];
  const room = new Room(observer.slots().running);
  return sorted.map((reload) => {
    const { workload, want, at, waits } = reload;
    const source = want.sources.find((each) => sourceKey(each.ref) === sourceKey(ref));
    const full = at === undefined ? undefined : room.full(budgetsOf(reload));
    if (!full) room.take(workloadKey(refOf(workload)));
    const policy = reload.verdict?.reload?.policy ?? want.policy;
    const onFailure = onFailureText(workload.kind, policy, observer.settings);
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

/** Nothing limits how many of them restart together. */
function fanOutOf(reloads: readonly Reload[], ref: SourceRef, { settings }: Observer): string | undefined {
  const together = reloads.filter((reload) => reload.at !== undefined && budgetsOf(reload).length === 0);
  const what = `${ref.kind} ${ref.namespace}/${ref.name}`;
  return fanOutText(what, together.length, settings.warnFanOut);
}

function whyNot(judgement: Judgement, ref: SourceRef, { settings, world }: Observer): string {
  const { want, verdict, workload } = judgement;
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
        ? outlookOf(judgement).because
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
      return workload.deleting ? 'it is being deleted' : outlookOf(judgement).because;
  }
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
