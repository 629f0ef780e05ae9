/** `status` for people. */
import type { StatusAnswer, WorkloadLine } from '../../api/shapes.ts';
import { ageText, type Cell, counted, type Style, table } from '../../terminal/style.ts';
import type { TableOptions } from './history.ts';
import { indented, inNamespace, waitText } from './names.ts';

export function statusText(
  answer: StatusAnswer & { readonly items: readonly WorkloadLine[] },
  style: Style,
  options: TableOptions,
): string {
  const now = options.clock.now();
  const { version, mode, leading, namespaces, installedAt, items } = answer;
  const scope = namespaces.length === 0 ? 'all namespaces' : `namespaces ${namespaces.join(', ')}`;
  const role = leading ? style.good('works') : style.warn('stands by');
  return [
    style.bold(`Reloader Operator ${version}`),
    ` ${role}, mode ${mode}, on ${scope}, installed ${ageText(now - Date.parse(installedAt))} ago\n`,
    `Follows ${counts(answer.sources)} and ${counts(answer.workloads)}; ${asking(answer.watched)}\n`,
    section(
      'Pending',
      answer.pending.map(({ workload, wait }) => `${named(workload)}: ${style.warn(waitText(wait, now))}`),
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
    items.length === 0 ? '' : `\n${workloads(items, now, style, options)}`,
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
  { columns, wide }: TableOptions,
): string {
  const rows = items.map(({ workload, sources, reloads, lastReload, problems, ...state }) => [
    workload.namespace,
    inNamespace(workload),
    String(sources.length),
    String(reloads),
    lastReload === undefined ? '-' : ageText(now - Date.parse(lastReload)),
    stateCell(state),
    ...(wide
      ? [
          String(problems),
          sources.map(({ kind, name }) => inNamespace({ kind, name })).join(','),
          state.rolloutFailed ?? state.pending?.message ?? state.lastError ?? '-',
        ]
      : []),
  ]);
  const more = wide ? ['PROBLEMS', 'WATCHES', 'WHY'] : [];
  const head = ['NAMESPACE', 'WORKLOAD', 'SOURCES', 'RELOADS', 'LAST', 'STATE', ...more];
  return table(head, rows, style, wide ? undefined : columns);
}

/** A rollout that failed is worse than anything that waits. */
function stateCell({
  rolloutFailed,
  pending,
  lastError,
}: Pick<WorkloadLine, 'rolloutFailed' | 'pending' | 'lastError'>): Cell {
  if (rolloutFailed !== undefined) return { text: 'failing', tone: 'bad' };
  if (pending) return { text: pending.why, tone: 'warn' };
  return lastError === undefined ? { text: 'up to date', tone: 'good' } : { text: 'failing', tone: 'bad' };
}

function asking(count: number): string {
  return `${counted(count, 'workload')} ${count === 1 ? 'asks' : 'ask'} for reloads`;
}
