/** The lists of `/api/v1`: parameters read, and answers made of lines that are kept as text already. */
import { SOURCE_KINDS, type SourceRef, sourceKey } from '../reloader/model/source.ts';
import { WORKLOAD_KINDS, type WorkloadRef, workloadKey } from '../reloader/model/workload.ts';
import { type ApiAnswer, ok, refused } from './answer.ts';
import type { Insight } from './insight.ts';
import { select } from './selection.ts';
import type { SourcesAnswer, TimelineAnswer, TimelineEvent } from './shapes.ts';

const MOST_ITEMS = 10_000;
const DEFAULT_EVENTS = 1_000;
const LONGEST_FILTER = 200;

/** `namespace` is the one that the reader was let in for; undefined for all. */
export async function workloadsAnswer(
  insight: Insight,
  query: URLSearchParams,
  namespace: string | undefined,
): Promise<ApiAnswer> {
  const limit = limitOf(query);
  if (limit === undefined) return badLimit();
  const source = query.get('source');
  const ref = source === null ? undefined : sourceNamed(source);
  if (source !== null && !ref)
    return refused(400, 'source is Kind/namespace/name, as in Secret/shop/credentials');
  const after = cursorOf(query);
  if (after === null) return badContinue();
  await insight.fresh();
  const { page, counts, next } = select(insight.lines(), {
    namespace,
    kind: query.get('kind')?.toLowerCase(),
    state: query.get('state') ?? undefined,
    source: ref && sourceKey(ref),
    words: wordsOf(query),
    limit,
    after,
  });
  const revision = insight.revision();
  const rest = JSON.stringify({ counts, revision, ...(next !== undefined && { continue: tokenOf(next) }) });
  return {
    status: 200,
    text: `{"items":[${page.map(({ json }) => json).join(',')}],${rest.slice(1)}`,
    etag: revision,
  };
}

export async function sourcesAnswer(
  insight: Insight,
  query: URLSearchParams,
  namespace: string | undefined,
): Promise<ApiAnswer> {
  const limit = limitOf(query);
  if (limit === undefined) return badLimit();
  const after = cursorOf(query);
  if (after === null) return badContinue();
  await insight.fresh();
  const kind = query.get('kind')?.toLowerCase();
  const words = wordsOf(query);
  const found = insight.sources().filter(({ source }) => {
    if (namespace !== undefined && source.namespace !== namespace) return false;
    if (kind !== undefined && source.kind.toLowerCase() !== kind) return false;
    const text = `${source.kind} ${source.namespace}/${source.name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rest = after === undefined ? found : found.filter(({ source }) => sourceKey(source) > after);
  const items = limit > 0 ? rest.slice(0, limit) : rest;
  const last = items.at(-1);
  const revision = insight.revision();
  const body: SourcesAnswer = {
    items,
    revision,
    ...(last && items.length < rest.length && { continue: tokenOf(sourceKey(last.source)) }),
  };
  return { status: 200, body, etag: revision };
}

export function timelineAnswer(
  insight: Insight,
  query: URLSearchParams,
  namespace: string | undefined,
): ApiAnswer {
  const limit = limitOf(query, DEFAULT_EVENTS);
  if (limit === undefined) return badLimit();
  const since = timeIn(query, 'since');
  const until = timeIn(query, 'until');
  if (since === null || until === null)
    return refused(400, 'since and until are times of RFC 3339, as in 2026-01-31T12:00:00Z');
  const [workloadText, sourceText] = [query.get('workload'), query.get('source')];
  const workload = workloadText === null ? undefined : workloadNamed(workloadText);
  const source = sourceText === null ? undefined : sourceNamed(sourceText);
  if ((workloadText !== null && !workload) || (sourceText !== null && !source))
    return refused(400, 'workload and source are Kind/namespace/name, as in Deployment/shop/web');
  const isMeant = (event: TimelineEvent): boolean =>
    (namespace === undefined || (event.workload ?? event.source)?.namespace === namespace) &&
    (workload === undefined || isAbout(event, workload)) &&
    (source === undefined || isOf(event, source));
  const { timeline } = insight;
  const found = timeline.find({ since, until, isMeant, limit: limit === 0 ? MOST_ITEMS : limit });
  const body: TimelineAnswer = { ...found, begins: timeline.begins };
  return ok(body);
}

function isAbout({ workload }: TimelineEvent, ref: WorkloadRef): boolean {
  return workload !== undefined && workloadKey(workload) === workloadKey(ref);
}

function isOf({ source, causes = [] }: TimelineEvent, ref: SourceRef): boolean {
  return [...causes, ...(source ? [source] : [])].some((each) => sourceKey(each) === sourceKey(ref));
}

/** Undefined where it is none. 0 stands for everything. */
function limitOf(query: URLSearchParams, fallback = 0): number | undefined {
  const text = query.get('limit');
  if (text === null) return fallback;
  const limit = Number(text);
  return /^\d{1,5}$/.test(text) && limit <= MOST_ITEMS ? limit : undefined;
}

const badLimit = (): ApiAnswer => refused(400, `limit is a number of at most ${MOST_ITEMS}`);
const badContinue = (): ApiAnswer =>
  refused(400, 'continue is not one that was answered: begin again without it');

/** Null where it is not readable. */
function cursorOf(query: URLSearchParams): string | undefined | null {
  const token = query.get('continue');
  if (token === null) return undefined;
  const key = Buffer.from(token, 'base64url').toString('utf8');
  return key.split('/').length === 3 && tokenOf(key) === token ? key : null;
}

function tokenOf(key: string): string {
  return Buffer.from(key).toString('base64url');
}

/** Null where it is no time. */
function timeIn(query: URLSearchParams, name: string): string | undefined | null {
  const text = query.get(name);
  if (text === null) return undefined;
  const ms = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function wordsOf(query: URLSearchParams): readonly string[] {
  const text = (query.get('q') ?? '').slice(0, LONGEST_FILTER).toLowerCase();
  return text.split(/\s+/).filter((word) => word !== '');
}

export function sourceNamed(text: string): SourceRef | undefined {
  const [word = '', namespace = '', name = '', ...more] = text.split('/');
  const kind = SOURCE_KINDS.find((each) => each.toLowerCase() === word.toLowerCase());
  return kind && namespace && name && more.length === 0 ? { kind, namespace, name } : undefined;
}

export function workloadNamed(text: string): WorkloadRef | undefined {
  const [word = '', namespace = '', name = '', ...more] = text.split('/');
  const kind = WORKLOAD_KINDS.find((each) => each.toLowerCase() === word.toLowerCase());
  return kind && namespace && name && more.length === 0 ? { kind, namespace, name } : undefined;
}
