/** The most important facts now, for any number of workloads: groups of lines with their size and first members. */

import { inLightPieces } from '../pace/pieces.ts';
import { Counts } from './counts.ts';
import { type Line, type Lines, UNKNOWN } from './lines.ts';
import type {
  FreezeFacts,
  FreezeGroup,
  LineGroup,
  NumberedLine,
  OverviewAnswer,
  WaitGroup,
} from './shapes.ts';
import { timeOf } from './times.ts';

/** As many as fit a screen; lists have all of them. */
const MOST_LINES = 10;
const MOST_FREEZES = 50;
/** An approval also releases a reload that is in doubt. */
const APPROVED: ReadonlySet<string | undefined> = new Set(['approval', 'doubt']);

export interface OverviewOptions {
  readonly freezeAt: (place: Freeze['about']) => FreezeFacts | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface Freeze {
  readonly about: Pick<FreezeGroup, 'scope' | 'namespace' | 'workload'>;
  readonly members: Line[];
}

export async function overviewOf(
  lines: Lines,
  namespace: string | undefined,
  { freezeAt, now }: OverviewOptions,
): Promise<Omit<OverviewAnswer, 'mode' | 'leading' | 'revision'>> {
  const sorted = new Sorted();
  await inLightPieces(lines.all(), (line) => {
    if (namespace === undefined || line.workload.namespace === namespace) sorted.add(line);
  });
  const group = async (members: readonly Line[]): Promise<LineGroup> => ({
    count: members.length,
    first: await lines.read(members.slice(0, MOST_LINES)),
  });
  const waiting: WaitGroup[] = [];
  for (const [why, members] of sorted.waits) waiting.push({ why, ...(await group(members.sort(byEnd))) });
  const { freezes } = sorted;
  const held: FreezeGroup[] = [];
  for (const { about, members } of freezes.slice(0, MOST_FREEZES)) {
    const changed = members.filter(({ why, held }) => why !== undefined && held !== 'twice').sort(byRelease);
    const { first } = await group(changed);
    const next = changed[0] && releaseOf(changed[0]);
    held.push({
      ...about,
      ...freezeAt(about),
      count: members.length,
      waiting: changed.length,
      first,
      ...(next !== undefined && next !== UNKNOWN && { next: next === '' ? timeOf(now) : next }),
    });
  }
  return {
    counts: sorted.counts.now,
    failing: await group(sorted.failing),
    rolling: await group(sorted.rolling),
    waiting: waiting.sort((a, b) => compare(ending(a.first[0]), ending(b.first[0]))),
    approvals: await group(sorted.approvals),
    freezes: held,
    moreFreezes: Math.max(0, freezes.length - MOST_FREEZES),
  };
}

/** Lines by the groups of the overview. A line may be in several groups. */
class Sorted {
  readonly counts = new Counts();
  readonly failing: Line[] = [];
  readonly rolling: Line[] = [];
  readonly approvals: Line[] = [];
  readonly waits = new Map<NonNullable<Line['why']>, Line[]>();
  readonly #frozenWith: Freeze = { about: { scope: 'cluster' }, members: [] };
  readonly #frozenIn = new Map<string, Line[]>();
  readonly #frozen: Freeze[] = [];

  add(line: Line): void {
    const { why, state, isRolling, frozen, workload } = line;
    this.counts.add(line);
    if (state === 'failing') this.failing.push(line);
    else if (isRolling) this.rolling.push(line);
    if (APPROVED.has(why)) this.approvals.push(line);
    if (why !== undefined) append(this.waits, why, line);
    if (frozen === 'cluster') this.#frozenWith.members.push(line);
    if (frozen === 'namespace') append(this.#frozenIn, workload.namespace, line);
    if (frozen === 'workload') this.#frozen.push({ about: { scope: 'workload', workload }, members: [line] });
  }

  get freezes(): readonly Freeze[] {
    const namespaces = [...this.#frozenIn].map(
      ([namespace, members]): Freeze => ({ about: { scope: 'namespace', namespace }, members }),
    );
    const cluster = this.#frozenWith.members.length > 0 ? [this.#frozenWith] : [];
    return [...cluster, ...namespaces, ...this.#frozen];
  }
}

function append<K>(groups: Map<K, Line[]>, key: K, line: Line): void {
  const members = groups.get(key);
  if (members) members.push(line);
  else groups.set(key, [line]);
}

const ending = (line: NumberedLine | undefined): string => line?.pending?.until ?? UNKNOWN;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
/** When it would restart if its freeze ended now; the empty string means at once and sorts before every time. */
const releaseOf = ({ why, until, held }: Line): string =>
  why === 'frozen' ? (held ?? '') : (until ?? UNKNOWN);
const byRelease = (a: Line, b: Line): number => compare(releaseOf(a), releaseOf(b));
const byEnd = (a: Line, b: Line): number => compare(a.until ?? UNKNOWN, b.until ?? UNKNOWN);
