/** One frame of the demo: every workload, the state of its pods and its waits, the steps, and commands to try. Pure. */
import type { HistoryLine, WorkloadLine } from '@reloader/operator/api';
import { type Cell, fitted, type Style, table } from '@reloader/operator/embed';

export interface PodCounts {
  readonly wanted: number;
  readonly updated: number;
  readonly available: number;
}

export interface Scene {
  readonly workloads: readonly WorkloadLine[];
  readonly pods: ReadonlyMap<string, PodCounts>;
  readonly reloads: readonly HistoryLine[];
  /** The steps of the demo, and how many of them have begun. */
  readonly steps: readonly string[];
  readonly begun: number;
  /** At the end of the demo: a heading, and commands to try. */
  readonly next: { readonly title: string; readonly commands: readonly string[] } | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Below these widths the table leaves out columns. */
const WIDE = 100;
const NARROW = 64;
const MOST_RELOADS = 4;
/** An empty line and the heading. */
const RELOADS_HEAD = 2;

/** With too few rows, reloads are left out first, then workloads. Steps and commands stay. */
export function picture(scene: Scene, { columns, rows }: Size, style: Style): string[] {
  const most = Math.max(1, rows - 1);
  const fitting = (lines: readonly string[]): string[] =>
    lines.flatMap((line) => fitted(line, columns).split('\n'));
  const table = workloads(scene, columns, style);
  const tour = fitting(steps(scene, style));
  const next = fitting(nextThings(scene, style));
  const reloads = fitting(lastReloads(scene, style)).slice(
    0,
    most - table.length - tour.length - next.length,
  );
  const below = [...tour, ...(reloads.length > RELOADS_HEAD ? reloads : []), ...next];
  const room = Math.max(2, most - below.length);
  const shown =
    table.length > room ? [...table.slice(0, room - 1), `… and ${table.length - room + 1} more`] : table;
  return [...shown, ...below].slice(0, most);
}

function nextThings({ next }: Scene, style: Style): string[] {
  return next === undefined ? [] : ['', style.bold(next.title), ...next.commands.map(indented)];
}

const indented = (text: string): string => `  ${text}`;

function workloads({ workloads: all, pods, now }: Scene, columns: number, style: Style): string[] {
  if (all.length === 0) return [style.dim('The operator starts …')];
  const head = ['NAMESPACE', 'WORKLOAD', 'PODS', 'RELOADS', 'STATE', 'WATCHES'];
  const kept = columns < NARROW ? [1, 4] : columns < WIDE ? [0, 1, 2, 3, 4] : [0, 1, 2, 3, 4, 5];
  const rows = all.map((line) => {
    const { kind, namespace, name } = line.workload;
    const count = pods.get(`${kind}/${namespace}/${name}`);
    const cells: Cell[] = [
      namespace,
      `${kind.toLowerCase()}/${name}`,
      count ? `${count.available}/${count.wanted}` : '-',
      String(line.reloads),
      stateOf(line, count, now),
      line.sources.map((source) => `${source.kind.toLowerCase()}/${source.name}`).join(' '),
    ];
    return kept.map((index) => cells[index] ?? '');
  });
  return table(
    kept.map((index) => head[index] ?? ''),
    rows,
    style,
    columns,
  )
    .trimEnd()
    .split('\n');
}

function stateOf({ pending, lastError }: WorkloadLine, pods: PodCounts | undefined, now: number): Cell {
  if (pending) {
    const left =
      pending.until === undefined
        ? ''
        : ` ${Math.max(0, Math.ceil((Date.parse(pending.until) - now) / 1000))}s`;
    return { text: `${pending.why}${left}`, tone: 'warn' };
  }
  if (lastError !== undefined) return { text: 'failing', tone: 'bad' };
  if (pods && (pods.updated < pods.wanted || pods.available < pods.wanted))
    return { text: `rolling ${pods.updated}/${pods.wanted}`, tone: 'warn' };
  return { text: 'up to date', tone: 'good' };
}

/** All steps, in every frame: done, current and next. */
function steps({ steps: texts, begun }: Scene, style: Style): string[] {
  const lines = texts.map((text, index) => {
    const line = `${index + 1}. ${text}`;
    if (index === begun - 1) return `${style.warn('▸')} ${line}`;
    return index < begun ? `${style.good('✔')} ${line}` : style.dim(`  ${line}`);
  });
  return lines.length === 0 ? [] : ['', ...lines];
}

function lastReloads({ reloads, now }: Scene, style: Style): string[] {
  const lines = reloads.slice(0, MOST_RELOADS).map(({ workload, at, result, sources }) => {
    const age = `${Math.max(0, Math.round((now - Date.parse(at)) / 1000))}s ago`.padEnd(8);
    const shown = result === 'succeeded' ? style.good(result) : style.warn(result);
    const causes = sources.map(({ kind, name }) => `${kind.toLowerCase()}/${name}`);
    return `  ${age} ${workload.name} ${shown}: ${causes.join(' ')}`;
  });
  return lines.length === 0 ? [] : ['', style.bold('Last reloads'), ...lines];
}
