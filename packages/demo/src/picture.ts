/** One picture of the demo: every workload, how its pods stand and what waits, the steps, and what to try. Pure. */
import type { HistoryLine, WorkloadLine } from '@reloader/operator/api';
import { type Cell, fitted, type Style, sourceName, table } from '@reloader/operator/embed';

export interface PodCounts {
  readonly wanted: number;
  readonly updated: number;
  readonly available: number;
}

export interface Scene {
  readonly workloads: readonly WorkloadLine[];
  readonly pods: ReadonlyMap<string, PodCounts>;
  readonly reloads: readonly HistoryLine[];
  /** What the demo does, and how many of these steps have been begun. */
  readonly steps: readonly string[];
  readonly begun: number;
  /** Commands to try, once there is nothing more to see. */
  readonly next: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** From the right, what a narrow terminal goes without. */
const WIDE = 100;
const NARROW = 64;
const MOST_RELOADS = 4;

export function picture(scene: Scene, { columns, rows }: Size, style: Style): string[] {
  const below = [
    ...steps(scene, style),
    ...lastReloads(scene, style),
    ...(scene.next.length > 0
      ? ['', style.bold('Three things to try next'), ...scene.next.map(indented)]
      : []),
  ].flatMap((line) => fitted(line, columns).split('\n'));
  const room = Math.max(2, rows - 1 - below.length);
  const lines = workloads(scene, columns, style);
  const shown =
    lines.length > room ? [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more`] : lines;
  return [...shown, ...below].slice(0, Math.max(1, rows - 1));
}

const indented = (text: string): string => `  ${text}`;

function workloads({ workloads: all, pods, now }: Scene, columns: number, style: Style): string[] {
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

/** All of them, from the first picture to the last: what is done, what happens now, what comes. */
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
    return `  ${age} ${workload.kind.toLowerCase()}/${workload.name} ${shown}: ${sources.map(sourceName).join(', ')}`;
  });
  return lines.length === 0 ? [] : ['', style.bold('Last reloads'), ...lines];
}
