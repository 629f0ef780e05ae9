/** `status` for people. */
import type { StatusAnswer, WorkloadLine } from '../../api/shapes.ts';
import { ageText, type Style, table } from '../style.ts';
import type { Surroundings } from '../surroundings.ts';
import { indented, inNamespace, waitText } from './names.ts';

export function statusText(
  answer: StatusAnswer & { readonly items: readonly WorkloadLine[] },
  style: Style,
  { clock, columns }: Pick<Surroundings, 'clock' | 'columns'>,
): string {
  const now = clock.now();
  const { version, mode, leading, namespaces, installedAt, items } = answer;
  const scope = namespaces.length === 0 ? 'all namespaces' : `namespaces ${namespaces.join(', ')}`;
  const role = leading ? 'works' : 'stands by';
  return [
    style.bold(`Reloader Operator ${version}`),
    ` ${role}, mode ${mode}, on ${scope}, installed ${ageText(now - Date.parse(installedAt))} ago\n`,
    `Follows ${counts(answer.sources)} and ${counts(answer.workloads)}; ${answer.watched} workloads ask for reloads\n`,
    section(
      'Pending',
      answer.pending.map(({ workload, wait }) => `${named(workload)}: ${waitText(wait, now)}`),
      style,
    ),
    section(
      'Failing',
      answer.failing.map(({ workload, error }) => style.bad(`${named(workload)}: ${error}`)),
      style,
    ),
    section(
      'Problems',
      answer.troubled.map(({ workload, problem }) => style.warn(`${named(workload)}: ${problem.message}`)),
      style,
    ),
    items.length === 0 ? '' : `\n${workloads(items, now, style, columns)}`,
  ].join('');
}

function section(title: string, lines: readonly string[], style: Style): string {
  return lines.length === 0 ? '' : `\n${style.bold(title)}\n${lines.map(indented).join('')}`;
}

function counts(numbers: Readonly<Record<string, number>>): string {
  const there = Object.entries(numbers).filter(([, count]) => count > 0);
  const parts = there.map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`);
  return parts.join(', ') || 'nothing';
}

function named(workload: WorkloadLine['workload']): string {
  return `${workload.kind} ${workload.namespace}/${workload.name}`;
}

function workloads(
  items: readonly WorkloadLine[],
  now: number,
  style: Style,
  columns: number | undefined,
): string {
  const rows = items.map(({ workload, sources, reloads, lastReload, pending, lastError }) => [
    workload.namespace,
    inNamespace(workload),
    String(sources.length),
    String(reloads),
    lastReload === undefined ? '-' : ageText(now - Date.parse(lastReload)),
    pending ? pending.why : lastError === undefined ? 'up to date' : 'failing',
  ]);
  return table(['NAMESPACE', 'WORKLOAD', 'SOURCES', 'RELOADS', 'LAST', 'STATE'], rows, style, columns);
}
