/** The text output of `status`. */
import type { Frozen, StatusAnswer, WorkloadLine } from '../../api/shapes.ts';
import { ageText, type Cell, counted, type Style, table } from '../../terminal/style.ts';
import type { TableOptions } from './history.ts';
import { indented, inNamespace, shortTime, waitText } from './names.ts';

export function statusText(
  answer: StatusAnswer & { readonly items: readonly WorkloadLine[] },
  style: Style,
  options: TableOptions & {
    /** Lines of each section; 0 for all. */
    readonly limit: number;
  },
): string {
  const now = options.clock.now();
  const { version, mode, leading, namespaces, installedAt, items } = answer;
  const section = (title: string, lines: readonly string[]): string =>
    part(title, lines, style, options.limit);
  const scope = namespaces.length === 0 ? 'all namespaces' : `namespaces ${namespaces.join(', ')}`;
  const role = leading ? style.good('works') : style.warn('stands by');
  return [
    style.bold(`Reloader Operator ${version}`),
    ` ${role}, mode ${mode}, on ${scope}, installed ${ageText(now - Date.parse(installedAt))} ago\n`,
    `Follows ${counts(answer.sources)} and ${counts(answer.workloads)}; ${asking(answer.watched)}\n`,
    section(
      'Frozen',
      // Absent in answers of an older operator.
      (answer.frozen ?? []).map((frozen) => style.warn(frozenText(frozen))),
    ),
    section(
      'Failing',
      answer.failing.map(({ workload, error }) => style.bad(`${named(workload)}: ${error}`)),
    ),
    section(
      'Problems',
      answer.troubled.map(({ workload, problem }) =>
        style.warn(`${named(workload)}: ${problem.field}: ${problem.message}`),
      ),
    ),
    section(
      'Pending',
      answer.pending.map(({ workload, wait }) => `${named(workload)}: ${style.warn(waitText(wait, now))}`),
    ),
    items.length === 0 ? '' : `\n${workloads(items, now, style, options)}`,
  ].join('');
}

function part(title: string, lines: readonly string[], style: Style, limit: number): string {
  if (lines.length === 0) return '';
  const shown = limit === 0 ? lines : lines.slice(0, limit);
  return `\n${style.bold(title)}\n${shown.map(indented).join('')}${more(lines.length - shown.length, '  ')}`;
}

function more(left: number, indent: string): string {
  return left > 0 ? `${indent}and ${left} more: --limit=0 lists all\n` : '';
}

function frozenText(frozen: Frozen): string {
  const until = frozen.until === undefined ? '' : `; ends by itself at ${shortTime(frozen.until)}`;
  const why = frozen.reason === undefined ? '' : ` (${frozen.reason})`;
  return `${frozenPart(frozen)}${until}${why}`;
}

function frozenPart(frozen: Frozen): string {
  switch (frozen.scope) {
    case 'cluster':
      return 'Everything: no workload is reloaded until `reloader unfreeze --cluster`';
    case 'namespace':
      return `Namespace ${frozen.namespace}: its workloads are not reloaded until \`reloader unfreeze -n ${frozen.namespace}\``;
    case 'workload':
      return `${named(frozen.workload)}: it is not reloaded until \`reloader unfreeze ${inNamespace(frozen.workload)} -n ${frozen.workload.namespace}\``;
  }
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
  { columns, wide, limit }: TableOptions & { readonly limit: number },
): string {
  const shown = limit === 0 ? items : items.slice(0, limit);
  const rows = shown.map(({ workload, sources, reloads, lastReload, problems, ...state }) => [
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
  const further = wide ? ['PROBLEMS', 'WATCHES', 'WHY'] : [];
  const head = ['NAMESPACE', 'WORKLOAD', 'SOURCES', 'RELOADS', 'LAST', 'STATE', ...further];
  return table(head, rows, style, wide ? undefined : columns) + more(items.length - shown.length, '');
}

/** A failed rollout takes precedence over a wait. */
function stateCell({
  rolloutFailed,
  pending,
  lastError,
  frozen,
}: Pick<WorkloadLine, 'rolloutFailed' | 'pending' | 'lastError' | 'frozen'>): Cell {
  if (rolloutFailed !== undefined) return { text: 'failing', tone: 'bad' };
  if (lastError !== undefined) return { text: 'failing', tone: 'bad' };
  if (pending) return { text: pending.why, tone: 'warn' };
  return frozen ? { text: 'frozen', tone: 'warn' } : { text: 'up to date', tone: 'good' };
}

function asking(count: number): string {
  return `${counted(count, 'workload')} ${count === 1 ? 'asks' : 'ask'} for reloads`;
}
