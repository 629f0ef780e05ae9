/**
 * Parameters of requests to `/api/v1`, read strictly: an invalid one is refused with a message that says what to write.
 */
import { SOURCE_KINDS, type SourceRef } from '../reloader/model/source.ts';
import { WORKLOAD_KINDS, type WorkloadRef } from '../reloader/model/workload.ts';

/** Its message is sent to the client. */
export class QueryError extends Error {}

/** A larger page would hold up the operator, or the reader. */
export const MOST_ITEMS = 1_000;
export const USUAL_ITEMS = 500;
const LONGEST_FILTER = 200;
/** Without a zone it would be a time in that of the operator's machine. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** One page of a list: `limit` items after a key, or after an offset. */
export interface Paging {
  readonly limit: number;
  readonly after: string | undefined;
  readonly offset: number;
}

export function pagingIn(query: URLSearchParams): Paging {
  const after = keyIn(query.get('continue'));
  const offset = numberIn(query, 'offset', { least: 0, most: 9_999_999, usual: 0 });
  return { limit: limitIn(query, USUAL_ITEMS, MOST_ITEMS), after, offset };
}

export function limitIn(query: URLSearchParams, usual: number, most: number): number {
  return numberIn(query, 'limit', { least: 1, most, usual });
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

function numberIn(query: URLSearchParams, name: string, { least, most, usual }: Range): number {
  const text = query.get(name);
  if (text === null) return usual;
  const number = Number(text);
  if (/^\d{1,7}$/.test(text) && number >= least && number <= most) return number;
  throw new QueryError(`${name} is a number from ${least} to ${most}`);
}

function keyIn(token: string | null): string | undefined {
  if (token === null) return undefined;
  const key = Buffer.from(token, 'base64url').toString('utf8');
  if (key.split('/').length === 3 && continueAfter(key) === token) return key;
  throw new QueryError('continue is not one that was answered: begin again without it');
}

/** The value of `continue` for the items after a key. */
export function continueAfter(key: string): string {
  return Buffer.from(key).toString('base64url');
}

export function timeIn(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const ms = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new QueryError(`${name} is a time of RFC 3339, as in 2026-01-31T12:00:00Z`);
}

/** One of these words, in any case; in lower case. */
export function wordIn(query: URLSearchParams, name: string, known: readonly string[]): string | undefined {
  const word = query.get(name)?.toLowerCase();
  if (word === undefined || word === '' || known.some((each) => each.toLowerCase() === word))
    return word || undefined;
  throw new QueryError(`${name} is one of ${known.join(', ')}`);
}

/** In lower case. */
export function wordsIn(query: URLSearchParams): readonly string[] {
  const text = (query.get('q') ?? '').slice(0, LONGEST_FILTER).toLowerCase();
  return text.split(/\s+/).filter((word) => word !== '');
}

export function sourceIn(query: URLSearchParams): SourceRef | undefined {
  const text = query.get('source');
  const ref = sourceNamed(text ?? '');
  if (text === null || ref) return ref;
  throw new QueryError('source is Kind/namespace/name, as in Secret/shop/credentials');
}

export function workloadIn(query: URLSearchParams): WorkloadRef | undefined {
  const text = query.get('workload');
  const ref = workloadNamed(text ?? '');
  if (text === null || ref) return ref;
  throw new QueryError('workload is Kind/namespace/name, as in Deployment/shop/web');
}

export function sourceNamed(text: string): SourceRef | undefined {
  return named(SOURCE_KINDS, text);
}

export function workloadNamed(text: string): WorkloadRef | undefined {
  return named(WORKLOAD_KINDS, text);
}

/** From `Kind/namespace/name`; kinds in any case. */
function named<K extends string>(kinds: readonly K[], text: string) {
  const [word = '', namespace = '', name = '', ...more] = text.split('/');
  const kind = kinds.find((each) => each.toLowerCase() === word.toLowerCase());
  return kind && namespace && name && more.length === 0 ? { kind, namespace, name } : undefined;
}
