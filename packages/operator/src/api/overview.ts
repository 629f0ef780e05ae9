/** What matters now, of any number of workloads: groups of lines with their size and their first members. */
import type { Line, Lines } from './lines.ts';
import { countsIn } from './selection.ts';
import type { FreezeGroup, LineGroup, NumberedLine, OverviewAnswer, WaitGroup } from './shapes.ts';

/** What fits a screen; lists have all of them. */
const MOST_LINES = 10;
const MOST_FREEZES = 50;
/** A doubt is released by an approval, too. */
const APPROVED: ReadonlySet<string | undefined> = new Set(['approval', 'doubt']);

interface Freeze {
  readonly about: Pick<FreezeGroup, 'scope' | 'namespace' | 'workload'>;
  readonly members: Line[];
}

export async function overviewOf(
  lines: Lines,
  namespace: string | undefined,
): Promise<Omit<OverviewAnswer, 'mode' | 'leading' | 'revision'>> {
  const isMeant = ({ workload }: Line): boolean =>
    namespace === undefined || workload.namespace === namespace;
  const all = lines.all().filter(isMeant);
  const waits = groupedBy(all, ({ why }) => why);
  const freezes = freezesOf(all);
  const group = async (members: readonly Line[]): Promise<LineGroup> => ({
    count: members.length,
    first: await lines.read(members.slice(0, MOST_LINES)),
  });
  const waiting: WaitGroup[] = [];
  for (const [why, members] of waits) waiting.push({ why, ...(await group([...members].sort(byEnd))) });
  const held: FreezeGroup[] = [];
  for (const { about, members } of freezes.slice(0, MOST_FREEZES)) {
    const changed = members.filter(({ why }) => why !== undefined);
    const { first } = await group(changed);
    held.push({ ...about, count: members.length, waiting: changed.length, first });
  }
  return {
    counts: countsIn(all, undefined),
    failing: await group(all.filter(({ state }) => state === 'failing')),
    rolling: await group(all.filter(({ isRolling, state }) => isRolling && state !== 'failing')),
    waiting: waiting.sort((a, b) => compare(ending(a.first[0]), ending(b.first[0]))),
    approvals: await group(all.filter(({ why }) => APPROVED.has(why))),
    freezes: held,
    moreFreezes: Math.max(0, freezes.length - MOST_FREEZES),
  };
}

/** Those without a key are in no group. */
function groupedBy<K>(lines: readonly Line[], key: (line: Line) => K | undefined): Map<K, Line[]> {
  const groups = new Map<K, Line[]>();
  for (const line of lines) {
    const found = key(line);
    if (found === undefined) continue;
    const members = groups.get(found);
    if (members) members.push(line);
    else groups.set(found, [line]);
  }
  return groups;
}

/** After every time. */
const LAST = '~';
const ending = (line: NumberedLine | undefined): string => line?.pending?.until ?? LAST;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byEnd = (a: Line, b: Line): number => compare(a.until ?? LAST, b.until ?? LAST);

function freezesOf(lines: readonly Line[]): readonly Freeze[] {
  const frozen = (scope: Line['frozen']): Line[] => lines.filter((line) => line.frozen === scope);
  const cluster = frozen('cluster');
  const namespaces = groupedBy(frozen('namespace'), ({ workload }) => workload.namespace);
  return [
    ...(cluster.length > 0 ? [{ about: { scope: 'cluster' as const }, members: cluster }] : []),
    ...[...namespaces].map(([namespace, members]) => ({
      about: { scope: 'namespace' as const, namespace },
      members,
    })),
    ...frozen('workload').map((line) => ({
      about: { scope: 'workload' as const, workload: line.workload },
      members: [line],
    })),
  ];
}
