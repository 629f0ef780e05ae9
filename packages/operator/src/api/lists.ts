/** The lists of `/api/v1`: selects and counts the lines that a request asks for, and answers a page at a time. */

import { inLightPieces } from '../pace/pieces.ts';
import { SOURCE_KINDS, type SourceRef, sourceKey } from '../reloader/model/source.ts';
import { WORKLOAD_KINDS, type WorkloadRef, workloadKey } from '../reloader/model/workload.ts';
import { REASONS } from '../reloader/schedule/types.ts';
import { type ApiAnswer, ok } from './answer.ts';
import { LINE_STATES } from './counts.ts';
import { keyOf } from './lines.ts';
import type { OperatorView } from './operator-view.ts';
import { pastEvents } from './past-events.ts';
import { continueAfter, limitIn, pagingIn, sourceIn, timeIn, wordIn, wordsIn, workloadIn } from './query.ts';
import { select } from './selection.ts';
import type { SourcesAnswer, TimelineAnswer, TimelineEvent, WorkloadsAnswer } from './shapes.ts';
import type { UsedSource } from './sources.ts';

const USUAL_EVENTS = 1_000;
const MOST_EVENTS = 10_000;
const STATES: readonly string[] = [...LINE_STATES, ...REASONS];

/** `namespace` is the one that the reader is authorized for; undefined for all. */
export async function workloadsAnswer(
  operatorView: OperatorView,
  query: URLSearchParams,
  namespace: string | undefined,
): Promise<ApiAnswer> {
  const [source, workload] = [sourceIn(query), workloadIn(query)];
  const selection = {
    ...pagingIn(query),
    namespace,
    kind: wordIn(query, 'kind', WORKLOAD_KINDS),
    state: wordIn(query, 'state', STATES),
    source: source && sourceKey(source),
    key: workload && keyOf(workload),
    words: wordsIn(query),
  };
  await operatorView.fresh();
  // Read before the lines are: a stream that starts from here reports the changes made meanwhile.
  const revision = operatorView.revision();
  const { page, counts, total, next } = await select(operatorView.lines(), selection);
  const body: WorkloadsAnswer = {
    items: await operatorView.read(page),
    counts,
    total,
    revision,
    ...(next !== undefined && { continue: continueAfter(next) }),
  };
  return { status: 200, body, etag: revision };
}

export async function sourcesAnswer(
  operatorView: OperatorView,
  query: URLSearchParams,
  namespace: string | undefined,
): Promise<ApiAnswer> {
  const { limit, after, offset } = pagingIn(query);
  const kind = wordIn(query, 'kind', SOURCE_KINDS);
  const words = wordsIn(query);
  await operatorView.fresh();
  const revision = operatorView.revision();
  const found: UsedSource[] = [];
  await inLightPieces(await operatorView.sources(), (each) => {
    const { source } = each;
    if (namespace !== undefined && source.namespace !== namespace) return;
    if (kind !== undefined && source.kind.toLowerCase() !== kind) return;
    const text = words.length > 0 ? `${source.kind} ${source.namespace}/${source.name}`.toLowerCase() : '';
    if (words.every((word) => text.includes(word))) found.push(each);
  });
  const rest = after === undefined ? found : found.filter(({ key }) => key > after);
  const page = rest.slice(offset, offset + limit);
  const last = page.at(-1);
  const body: SourcesAnswer = {
    items: page.map((each) => operatorView.sourceLine(each)),
    total: found.length,
    revision,
    ...(last && offset + page.length < rest.length && { continue: continueAfter(last.key) }),
  };
  return { status: 200, body, etag: revision };
}

export function timelineAnswer(
  operatorView: OperatorView,
  query: URLSearchParams,
  namespace: string | undefined,
): ApiAnswer {
  const limit = limitIn(query, USUAL_EVENTS, MOST_EVENTS);
  const [since, until] = [timeIn(query, 'since'), timeIn(query, 'until')];
  const [workload, source] = [workloadIn(query), sourceIn(query)];
  const isMeant = (event: TimelineEvent): boolean =>
    (namespace === undefined || (event.workload ?? event.source)?.namespace === namespace) &&
    (workload === undefined || isAbout(event, workload)) &&
    (source === undefined || isOf(event, source));
  const filter = { since, until, isMeant, limit };
  const { begins } = operatorView.timeline;
  const { events, truncated } = operatorView.timeline.find(filter);
  const before = truncated
    ? undefined
    : pastEvents(operatorView.histories(), begins, filter, limit - events.length);
  const body: TimelineAnswer = {
    events: [...(before?.events ?? []), ...events],
    begins,
    truncated: truncated || before?.truncated === true,
  };
  return ok(body);
}

function isAbout({ workload }: TimelineEvent, ref: WorkloadRef): boolean {
  return workload !== undefined && workloadKey(workload) === workloadKey(ref);
}

function isOf({ source, causes = [] }: TimelineEvent, ref: SourceRef): boolean {
  return [...causes, ...(source ? [source] : [])].some((each) => sourceKey(each) === sourceKey(ref));
}
