/**
 * `/api/v1/…`: what the operator knows, as JSON, for the command, the dashboard and scripts.
 *
 * In: GET requests and who makes them. Out: names, rules and times of the namespaces that the reader may read, never
 * digests and nothing of a source's content. Nothing can be changed. It is served on loopback (`server/local-api.ts`), and
 * at an address of its own to those who show a token (`server/secure-routes.ts`).
 */
import { type Logger, TooManyReviewsError } from '@reloader/runtime';
import type { SourceKind, SourceRef } from '../reloader/model/source.ts';
import { WORKLOAD_KINDS, type WorkloadRef } from '../reloader/model/workload.ts';
import type { Insight } from './insight.ts';
import { GivenUpError, Questions } from './questions.ts';
import { deniedText, type Reader } from './reader.ts';
import { ofNamespaces, statusOf } from './share.ts';

export const API_PATH = '/api/v1/';
const SOURCE_KINDS: readonly SourceKind[] = ['ConfigMap', 'Secret', 'SecretProviderClass'];

export interface ApiRequest {
  readonly method: string | undefined;
  /** As it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly reader: Reader;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Never rejects. */
export type Api = (request: ApiRequest) => Promise<ApiAnswer>;

const ok = (body: unknown): ApiAnswer => ({ status: 200, body });
const refused = (status: number, error: string): ApiAnswer => ({ status, body: { error } });

export interface ApiOptions {
  readonly insight: Insight;
  readonly logger: Logger;
  readonly questions?: Questions;
}

export function createApi({ insight, logger, questions = new Questions() }: ApiOptions): Api {
  return async (request) => {
    const { method = 'GET' } = request;
    if (method !== 'GET' && method !== 'HEAD') return refused(405, 'Only GET is answered here');
    try {
      return await answer(insight, questions, request);
    } catch (error) {
      if (error instanceof GivenUpError) return refused(error.status, error.message);
      if (error instanceof TooManyReviewsError) return refused(503, error.message);
      if (!request.signal.aborted)
        logger.error('A question could not be answered', { path: request.path, error });
      return refused(500, 'This could not be answered');
    }
  };
}

async function answer(insight: Insight, questions: Questions, request: ApiRequest): Promise<ApiAnswer> {
  const { path, query } = request;
  const parts = partsOf(path);
  if (!parts) return refused(400, 'The path is not readable: percent-encode it');
  const [what, ...rest] = parts;
  const isExplanation = what === 'workloads' && rest.length > 0;
  const namespace = isExplanation
    ? rest[1]
    : (query.get(what === 'what-if' ? 'ns' : 'namespace') ?? undefined);
  const verdict = await request.reader.mayRead(namespace === '' ? undefined : namespace);
  if (verdict === 'unauthenticated') return refused(401, 'A valid bearer token is needed');
  if (verdict === 'forbidden') return refused(403, deniedText(namespace));
  if (isExplanation) return explained(insight, questions, rest, request);
  if (rest.length === 0) {
    if (what === 'status') return ok(statusOf(insight, namespace));
    if (what === 'history') return ok({ reloads: insight.history(namespace) });
    if (what === 'workloads') return ok({ workloads: insight.workloads(namespace) });
    if (what === 'what-if') return foretold(insight, questions, request);
  }
  return refused(
    404,
    'There are status, history, workloads, workloads/{kind}/{namespace}/{name} and what-if?kind=&ns=&name=',
  );
}

function partsOf(path: string): string[] | undefined {
  try {
    return path.slice(API_PATH.length).split('/').map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

async function explained(
  insight: Insight,
  questions: Questions,
  parts: readonly string[],
  { reader, signal }: ApiRequest,
): Promise<ApiAnswer> {
  const [word = '', namespace, name] = parts;
  const kind = WORKLOAD_KINDS.find((each) => each.toLowerCase() === word.toLowerCase());
  if (!kind || !namespace || !name || parts.length !== 3) {
    return refused(
      404,
      `Ask for workloads/{kind}/{namespace}/{name}; kinds are ${WORKLOAD_KINDS.join(', ')}`,
    );
  }
  const ref: WorkloadRef = { kind, namespace, name };
  const found = await questions.answer(reader.id, signal, (each) => insight.explain(ref, each));
  return found ? ok(found) : refused(404, `${kind} ${namespace}/${name} is not known to the operator`);
}

async function foretold(
  insight: Insight,
  questions: Questions,
  { query, reader, signal }: ApiRequest,
): Promise<ApiAnswer> {
  const word = query.get('kind') ?? '';
  const kind = SOURCE_KINDS.find((each) => each.toLowerCase() === word.toLowerCase());
  const namespace = query.get('ns') ?? '';
  const name = query.get('name') ?? '';
  if (!kind || namespace === '' || name === '') {
    return refused(400, `kind, ns and name are needed; kinds are ${SOURCE_KINDS.join(', ')}`);
  }
  const ref: SourceRef = { kind, namespace, name };
  const keys = query.getAll('key');
  const options = { deleted: query.get('deleted') === 'true', ...(keys.length > 0 && { keys }) };
  const whole = await questions.answer(reader.id, signal, (each) => insight.whatIf(ref, options, each));
  return ok(await ofNamespaces(whole, reader));
}
