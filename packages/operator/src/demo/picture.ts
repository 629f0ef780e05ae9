/** One picture of the demo: every workload, what it watches, how its pods stand, what waits. Pure. */
import type { HistoryLine, WorkloadLine } from '../api/shapes.ts';

export interface PodCounts {
  readonly wanted: number;
  readonly updated: number;
  readonly available: number;
}

export interface Scene {
  readonly workloads: readonly WorkloadLine[];
  readonly pods: ReadonlyMap<string, PodCounts>;
  readonly reloads: readonly HistoryLine[];
  /** What was done last, and what may be tried next. */
  readonly news: readonly string[];
  readonly hint: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const HEAD = ['NAMESPACE', 'WORKLOAD', 'PODS', 'RELOADS', 'STATE', 'WATCHES'];
/** Left out from the right, where the terminal is narrow: the state is what people look for. */
const NARROW = 72;
const GAP = '  ';

export function picture(scene: Scene, { columns, rows }: Size): string[] {
  const cells = scene.workloads.map((line) => rowOf(line, scene));
  const kept = columns < NARROW ? [1, 3, 4] : [0, 1, 2, 3, 4, 5];
  const grid = [HEAD, ...cells].map((row) => kept.map((index) => row[index] ?? ''));
  const widths = kept.map((_, column) => Math.max(...grid.map((row) => row[column]?.length ?? 0)));
  const table = grid.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(GAP));
  const last = scene.reloads.slice(0, 3).map((reload) => reloadText(reload, scene.now));
  const below = [
    '',
    ...scene.news.slice(-3),
    ...(last.length > 0 ? ['', 'Last reloads', ...last] : []),
    '',
    scene.hint,
  ];
  const room = Math.max(1, rows - 1 - below.length);
  const shown =
    table.length > room ? [...table.slice(0, room - 1), `… and ${table.length - room + 1} more`] : table;
  return [...shown, ...below].slice(0, Math.max(1, rows - 1)).map((line) => cut(line.trimEnd(), columns));
}

function rowOf(line: WorkloadLine, { pods, now }: Scene): string[] {
  const { kind, namespace, name } = line.workload;
  const count = pods.get(`${kind}/${namespace}/${name}`);
  return [
    namespace,
    `${kind.toLowerCase()}/${name}`,
    count ? `${count.available}/${count.wanted}` : '-',
    String(line.reloads),
    stateText(line, count, now),
    line.sources.map((source) => `${source.kind.toLowerCase()}/${source.name}`).join(' '),
  ];
}

function stateText({ pending, lastError }: WorkloadLine, pods: PodCounts | undefined, now: number): string {
  if (pending) {
    const left =
      pending.until === undefined
        ? ''
        : ` ${Math.max(0, Math.ceil((Date.parse(pending.until) - now) / 1000))}s`;
    return `${pending.why}${left}`;
  }
  if (lastError !== undefined) return 'failing';
  if (pods && pods.updated < pods.wanted) return `rolling ${pods.updated}/${pods.wanted}`;
  return 'up to date';
}

function reloadText({ workload, at, result, sources }: HistoryLine, now: number): string {
  const age = Math.max(0, Math.round(now / 1000 - at));
  return `  ${age}s ago  ${workload.kind.toLowerCase()}/${workload.name} ${result}: ${sources.join(', ')}`;
}

function cut(text: string, columns: number): string {
  return text.length > columns ? `${text.slice(0, Math.max(0, columns - 1))}…` : text;
}
