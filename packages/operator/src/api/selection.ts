/** Selects the lines that a request asks for: filters, counts and pages over sorted lines. */

import { inLightPieces } from '../pace/pieces.ts';
import { sourceKey } from '../reloader/model/source.ts';
import { Counts } from './counts.ts';
import type { Line } from './lines.ts';
import type { LineCounts } from './shapes.ts';

export interface Selection {
  readonly namespace?: string | undefined;
  /** In lower case. */
  readonly kind?: string | undefined;
  /** A state, or the reason of a wait: `waiting`, `frozen`, `batching`. */
  readonly state?: string | undefined;
  /** Key of a source. */
  readonly source?: string | undefined;
  /** Key of the line of one workload. */
  readonly key?: string | undefined;
  /** Words that must all occur in names of the workload or its sources; in lower case. */
  readonly words: readonly string[];
  readonly limit: number;
  /** The key after which the page begins. */
  readonly after?: string | undefined;
  /** Number of lines to skip before the page. */
  readonly offset?: number | undefined;
}

export interface Selected {
  readonly page: readonly Line[];
  readonly counts: LineCounts;
  /** On all pages together. */
  readonly total: number;
  /** The last key of the page, if there are more pages. */
  readonly next: string | undefined;
}

export async function select(lines: readonly Line[], selection: Selection): Promise<Selected> {
  const { state, limit, after, offset = 0 } = selection;
  const counts = new Counts();
  const page: Line[] = [];
  let total = 0;
  let left = offset;
  let hasMore = false;
  await inLightPieces(lines, (line) => {
    if (!passes(line, selection)) return;
    counts.add(line);
    if (state !== undefined && !isIn(state, line)) return;
    total += 1;
    if (after !== undefined && line.key <= after) return;
    if (left > 0) left -= 1;
    else if (page.length >= limit) hasMore = true;
    else page.push(line);
  });
  return { page, counts: counts.now, total, next: hasMore ? page.at(-1)?.key : undefined };
}

function passes(line: Line, { namespace, kind, source, key, words }: Selection): boolean {
  const { workload, sources } = line;
  if (key !== undefined && line.key !== key) return false;
  if (namespace !== undefined && workload.namespace !== namespace) return false;
  if (kind !== undefined && workload.kind.toLowerCase() !== kind) return false;
  if (source !== undefined && !sources.some((each) => sourceKey(each) === source)) return false;
  if (words.length === 0) return true;
  const text = searchText(line);
  return words.every((word) => text.includes(word));
}

function searchText({ workload, sources }: Line): string {
  const { kind, namespace, name } = workload;
  let text = `${kind} ${namespace}/${name}`;
  for (const source of sources) text += ` ${source.kind}/${source.name}`;
  return text.toLowerCase();
}

function isIn(state: string, { state: own, why, frozen }: Line): boolean {
  if (state === 'frozen') return frozen !== undefined || why === 'frozen';
  return own === state || why === state;
}
