/**
 * Whether every change was rolled out, and no workload restarted without one. Pure.
 *
 * Lost: the newest content of a source is not in the template of its workload, and a pod lives that was created before
 * it. Awaited: the workload's own controller has not replaced all pods yet; what these will have read, and whether
 * another rollout is needed, nobody can know before. Duplicate: a
 * workload's template changed although the content it stands for did not, or more often than its sources did; or
 * Kubernetes numbered more templates than that.
 */
import { type Fleet, type Workload, workloadId } from './fleet.ts';
import type { History } from './history.ts';

export interface Verdict {
  readonly contentChanges: number;
  /** How many reloads that had to give; hasty sources may give fewer. */
  readonly asked: number;
  readonly templateChanges: number;
  readonly lost: readonly string[];
  readonly awaited: readonly string[];
  readonly duplicate: readonly string[];
}

export function judge(fleet: Fleet, history: History): Verdict {
  const asked = fleet.workloads.map((workload) => changesOf(workload, history).length);
  const reloads = fleet.workloads.map((workload) => history.templateChanges(workload).length);
  return {
    contentChanges: sum(fleet.sources.map((source) => history.contentChanges(source).length)),
    asked: sum(asked),
    templateChanges: sum(reloads),
    lost: fleet.workloads.flatMap((workload) => lostBy(workload, history)),
    awaited: fleet.workloads.flatMap((workload) => awaitedOf(workload, history)),
    duplicate: fleet.workloads.flatMap((workload) => duplicatesOf(workload, history)),
  };
}

/** Whether the newest content is in the template, that is: whether it is time for another change. */
export function isReloaded(workload: Workload, history: History): boolean {
  const newest = changesOf(workload, history).at(-1) ?? 0;
  const rolled = history.templateChanges(workload).at(-1)?.revision ?? 0;
  return newest === 0 || rolled > newest;
}

/** Revisions at which the content that the workload asked for changed. */
function changesOf(workload: Workload, history: History): number[] {
  if (workload.optIn === 'none') return [];
  return workload.sources.flatMap((source) => [...history.contentChanges(source)]).sort((a, b) => a - b);
}

function lostBy(workload: Workload, history: History): string[] {
  const newest = changesOf(workload, history).at(-1);
  if (newest === undefined || isReloaded(workload, history)) return [];
  if (awaitedOf(workload, history).length > 0) return [];
  // All the same who replaced them: the rollout before may have come so late that it brought this content, too.
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

function duplicatesOf(workload: Workload, history: History): string[] {
  const id = workloadId(workload);
  const contents = changesOf(workload, history);
  const changes = history.templateChanges(workload);
  const found: string[] = [];
  // At no moment more reloads than changes: a reload too many must not hide behind a later change.
  changes.forEach(({ revision }, index) => {
    const before = contents.filter((content) => content < revision).length;
    if (index + 1 > before)
      found.push(`${id}: reload ${index + 1} (revision ${revision}) after ${before} changes`);
  });
  const seen = new Set<string>();
  for (const { revision, template } of changes) {
    const print = fingerprint(template);
    if (print === '' || !seen.has(print)) seen.add(print);
    else found.push(`${id}: reloaded again for the same content at revision ${revision}`);
  }
  // Where each change waited for the one before, the numbers must be equal, not only bounded.
  const patient = workload.sources.every(({ hasty }) => !hasty);
  if (patient && isReloaded(workload, history) && changes.length < contents.length)
    found.push(
      `${id}: ${changes.length} reloads for ${contents.length} changes, each of which was waited for`,
    );
  const numbered = history.numbered(workload);
  if (numbered > contents.length + 1)
    found.push(`${id}: ${numbered} templates for ${contents.length} changes`);
  return found;
}

/** Which contents a template stands for, by what every operator of this family writes; times are left out. */
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
