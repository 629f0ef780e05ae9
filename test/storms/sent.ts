/** Requests of the operators, recorded on the way to the server. */
import type { ApiRequest } from '@reloader/minicluster';
import { targetOf, verbOf } from '../reloader/api-path.ts';
import type { SentRequest } from '../reloader/stage.ts';

const READS = new Set(['get', 'list', 'watch']);

export function describeRequest(
  { method, path, body }: ApiRequest,
  user: string,
  at: number,
): Omit<SentRequest, 'code'> & { readonly query: URLSearchParams } {
  const target = targetOf(path);
  const text = typeof body === 'string' ? body : body ? new TextDecoder().decode(body) : '';
  return {
    user,
    verb: verbOf(method, target),
    ...target,
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
    at,
  };
}

/** True if it changes something: access reviews are create requests, but create nothing. */
export function isWrite({ verb, resource }: Pick<SentRequest, 'verb' | 'resource'>): boolean {
  return !READS.has(verb) && !resource.startsWith('selfsubject');
}
