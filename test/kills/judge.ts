/**
 * Checks that every change was rolled out, and that no workload restarted without one. Pure.
 *
 * Lost: the newest content of a source is not in the template of its workload, and a pod is older than that content.
 * Awaited: the workload's own controller has not replaced all pods yet; only then it is known what they read and
 * whether another rollout is needed. Duplicate: a workload's template changed although the content did not, or more
 * often than its sources did; or Kubernetes numbered more templates than that. In doubt: such a restart where the
 * evidence does not decide, because a pod was created in the same second as the last change, the workload had no
 * record, and no pod was from an earlier second.
 */
import { type Fleet, type Workload, workloadId } from './fleet.ts';
import type { History, TemplateChange } from './history.ts';

export interface Verdict {
  readonly contentChanges: number;
  /** The number of reloads that these changes require; hasty sources may give fewer. */
  readonly asked: number;
  readonly templateChanges: number;
  readonly lost: readonly string[];
  readonly awaited: readonly string[];
  readonly duplicate: readonly string[];
  /** Extra restarts that no evidence ruled out: allowed, and counted. */
  readonly inDoubt: readonly string[];
}

export function judge(fleet: Fleet, history: History): Verdict {
  const asked = fleet.workloads.map((workload) => changesOf(workload, history).length);
  const reloads = fleet.workloads.map((workload) => history.templateChanges(workload).length);
  const excesses = fleet.workloads.map((workload) => excessOf(workload, history));
  return {
    contentChanges: sum(fleet.sources.map((source) => history.contentChanges(source).length)),
    asked: sum(asked),
    templateChanges: sum(reloads),
    lost: fleet.workloads.flatMap((workload) => lostBy(workload, history)),
    awaited: fleet.workloads.flatMap((workload) => awaitedOf(workload, history)),
    duplicate: excesses.flatMap(({ duplicate }) => duplicate),
    inDoubt: excesses.flatMap(({ inDoubt }) => inDoubt),
  };
}

/** True if the newest content is in the template, so that the source may be changed again. */
export function isReloaded(workload: Workload, history: History): boolean {
  const newest = changesOf(workload, history).at(-1) ?? 0;
  const rolled = history.templateChanges(workload).at(-1)?.revision ?? 0;
  return newest === 0 || rolled > newest;
}

/** Revisions at which the content of the workload's sources changed. */
function changesOf(workload: Workload, history: History): number[] {
  if (workload.optIn === 'none') return [];
  return workload.sources.flatMap((source) => [...history.contentChanges(source)]).sort((a, b) => a - b);
}

function lostBy(workload: Workload, history: History): string[] {
  const newest = changesOf(workload, history).at(-1);
  if (newest === undefined || isReloaded(workload, history)) return [];
  if (awaitedOf(workload, history).length > 0) return [];
  // Any rollout may have replaced them: an earlier one may have been so late that it brought this content, too.
  if (history.livingPods(workload).every(({ created }) => created >= newest)) return [];
  return [
    `${workloadId(workload)}: the content of revision ${newest} is not in its template, and a pod is older`,
  ];
}

function awaitedOf(workload: Workload, history: History): string[] {
  if (workload.optIn === 'none') return [];
  const id = workloadId(workload);
  const pods = history.livingPods(workload);
  if (pods.length === 0) return [`${id}: has no pods`];
  const template = history.templateChanges(workload).at(-1)?.revision ?? 0;
  return pods
    .filter(({ created }) => created < template)
    .map(
      ({ name, created }) => `${id}: pod ${name} of revision ${created} is older than template ${template}`,
    );
}

function excessOf(workload: Workload, history: History): Pick<Verdict, 'duplicate' | 'inDoubt'> {
  const id = workloadId(workload);
  const contents = changesOf(workload, history);
  const changes = history.templateChanges(workload);
  const duplicate: string[] = [];
  const inDoubt: string[] = [];
  const seen = new Set<string>();
  let counted = 0;
  for (const change of changes) {
    const { revision, template } = change;
    const print = fingerprint(template);
    const again = print !== '' && seen.has(print);
    seen.add(print);
    // Never more reloads than changes so far: a later change must not hide an extra reload.
    const before = contents.filter((content) => content < revision);
    const tooMany = counted + 1 > before.length;
    if ((again || tooMany) && isInDoubt(change, before.at(-1), history)) {
      inDoubt.push(`${id}: restarted again at revision ${revision}, within the second of its last change`);
      continue;
    }
    counted += 1;
    if (tooMany)
      duplicate.push(`${id}: reload ${counted} (revision ${revision}) after ${before.length} changes`);
    if (again) duplicate.push(`${id}: reloaded again for the same content at revision ${revision}`);
  }
  // If each change waited for the previous one, the numbers must be equal, not only bounded.
  const patient = workload.sources.every(({ hasty }) => !hasty);
  if (patient && isReloaded(workload, history) && counted < contents.length)
    duplicate.push(`${id}: ${counted} reloads for ${contents.length} changes, each of which was waited for`);
  const numbered = history.numbered(workload);
  if (numbered > contents.length + inDoubt.length + 1)
    duplicate.push(`${id}: ${numbered} templates for ${contents.length} changes`);
  return { duplicate, inDoubt };
}

/** `newest`: the revision of the last change of content before. */
function isInDoubt({ before }: TemplateChange, newest: number | undefined, history: History): boolean {
  const second = newest === undefined ? undefined : history.secondOf(newest);
  if (newest === undefined || second === undefined || before.recorded) return false;
  return (
    before.pods.every((pod) => pod.second >= second) &&
    before.pods.some((pod) => pod.second === second && pod.created >= newest)
  );
}

/** The contents that a template stands for, from the fields that every reloader writes, without times. */
export function fingerprint(template: unknown): string {
  const { metadata, spec } = template as {
    metadata?: { annotations?: Readonly<Record<string, string>> };
    spec?: { containers?: { env?: { name: string; value?: string }[] }[] };
  };
  const slots = (spec?.containers ?? []).flatMap(({ env = [] }) =>
    env.filter(({ name }) => name.startsWith('STAKATER_')).map(({ name, value = '' }) => `${name}=${value}`),
  );
  const from = metadata?.annotations?.['reloader.stakater.com/last-reloaded-from'];
  const { name = '', hash = '' } =
    from === undefined ? {} : (JSON.parse(from) as { name?: string; hash?: string });
  return [...slots.sort(), ...(hash === '' ? [] : [`${name}=${hash}`])].join(' ');
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
