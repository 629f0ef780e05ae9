/** Which lines a question asks for: filters, counts and pages over lines in order. Pure. */
import { sourceKey } from '../reloader/model/source.ts';
import type { Line } from './lines.ts';
import type { LineCounts, LineState, WorkloadLine } from './shapes.ts';

export interface Selection {
  readonly namespace?: string | undefined;
  /** In small letters. */
  readonly kind?: string | undefined;
  /** A state, or what holds back: `waiting`, `frozen`, `batching`. */
  readonly state?: string | undefined;
  /** Key of a source. */
  readonly source?: string | undefined;
  /** Words that all occur in names of the workload or its sources; in small letters. */
  readonly words: readonly string[];
  /** 0 for all. */
  readonly limit: number;
  /** The key after which the page begins. */
  readonly after?: string | undefined;
}

export interface Selected {
  readonly page: readonly Line[];
  readonly counts: LineCounts;
  /** The last key of the page, where there are more. */
  readonly next: string | undefined;
}

export function select(lines: readonly Line[], selection: Selection): Selected {
  const { state, limit, after } = selection;
  const counts = emptyCounts();
  const page: Line[] = [];
  let hasMore = false;
  for (const each of lines) {
    if (!passes(each.line, selection)) continue;
    count(counts, each.line);
    if (state !== undefined && !isIn(state, each.line)) continue;
    if (after !== undefined && each.key <= after) continue;
    if (limit > 0 && page.length >= limit) hasMore = true;
    else page.push(each);
  }
  return { page, counts, next: hasMore ? page.at(-1)?.key : undefined };
}

function passes(line: WorkloadLine, { namespace, kind, source, words }: Selection): boolean {
  const { workload, sources } = line;
  if (namespace !== undefined && workload.namespace !== namespace) return false;
  if (kind !== undefined && workload.kind.toLowerCase() !== kind) return false;
  if (source !== undefined && !sources.some((each) => sourceKey(each) === source)) return false;
  if (words.length === 0) return true;
  const text = searchText(line);
  return words.every((word) => text.includes(word));
}

function searchText({ workload, sources }: WorkloadLine): string {
  const { kind, namespace, name } = workload;
  const names = sources.map((source) => `${source.kind}/${source.name}`).join(' ');
  return `${kind} ${namespace}/${name} ${names}`.toLowerCase();
}

function isIn(state: string, line: WorkloadLine): boolean {
  if (state === 'frozen') return line.frozen !== undefined || line.pending?.why === 'frozen';
  return line.state === state || line.pending?.why === state;
}

type Counting = {
  all: number;
  byState: Record<LineState, number>;
  byWait: Record<string, number>;
  frozen: number;
};

function emptyCounts(): Counting {
  return {
    all: 0,
    byState: { failing: 0, waiting: 0, rolling: 0, troubled: 0, current: 0 },
    byWait: {},
    frozen: 0,
  };
}

function count(counts: Counting, { state, pending, frozen }: WorkloadLine): void {
  counts.all += 1;
  counts.byState[state] += 1;
  if (pending) counts.byWait[pending.why] = (counts.byWait[pending.why] ?? 0) + 1;
  if (frozen) counts.frozen += 1;
}
