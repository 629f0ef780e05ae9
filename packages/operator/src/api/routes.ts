/**
 * `/api/v1/…`: the operator's knowledge as JSON, for the command, the dashboard and scripts.
 *
 * In: GET requests, each with its reader. Out: names, rules and times of the namespaces that the reader may read, never
 * digests and nothing of a source's content. Read-only. It is served on loopback (`server/local-api.ts`), and at an
 * address of its own to clients with a token (`server/secure-routes.ts`).
 */
import { type Logger, TooManyReviewsError } from '@reloader/runtime';
import { SOURCE_KINDS } from '../reloader/model/source.ts';
import { WORKLOAD_KINDS } from '../reloader/model/workload.ts';
import { type ApiAnswer, ok, refused } from './answer.ts';
import { sourcesAnswer, timelineAnswer, workloadsAnswer } from './lists.ts';
import type { OperatorView } from './operator-view.ts';
import { QueryError, sourceNamed, workloadNamed } from './query.ts';
import { GivenUpError, Questions } from './questions.ts';
import { deniedText, type Reader } from './reader.ts';
import { SameQuestions } from './same-questions.ts';
import type { MeAnswer } from './shapes.ts';
import { explanationOf, ofNamespaces, sourceOf, statusOf } from './share.ts';

export const API_PATH = '/api/v1/';

export interface ApiRequest {
  readonly method: string | undefined;
  /** Still percent-encoded, as the client sent it. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly reader: Reader;
  /** `Last-Event-ID`: the position up to which the reader of a stream knows everything. */
  readonly lastEventId?: string | undefined;
  /** Aborts when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** Never rejects. */
export type Api = (request: ApiRequest) => Promise<ApiAnswer>;

export interface ApiOptions {
  readonly operatorView: OperatorView;
  readonly logger: Logger;
  readonly questions?: Questions;
}

interface Parts {
  readonly operatorView: OperatorView;
  readonly questions: Questions;
  readonly lists: SameQuestions<ApiAnswer>;
}

export function createApi({ operatorView, logger, questions = new Questions() }: ApiOptions): Api {
  const parts: Parts = { operatorView, questions, lists: new SameQuestions() };
  return async (request) => {
    const { method = 'GET' } = request;
    if (method !== 'GET' && method !== 'HEAD')
      return { ...refused(405, 'Only GET is answered here'), allow: 'GET, HEAD' };
    try {
      return await answer(parts, request);
    } catch (error) {
      if (error instanceof QueryError) return refused(400, error.message);
      if (error instanceof GivenUpError) return refused(error.status, error.message);
      if (error instanceof TooManyReviewsError) return refused(503, error.message);
      if (!request.signal.aborted)
        logger.error('A question could not be answered', { path: request.path, error });
      return refused(500, 'This could not be answered');
    }
  };
}

async function answer({ operatorView, questions, lists }: Parts, request: ApiRequest): Promise<ApiAnswer> {
  const { path, query } = request;
  const parts = partsOf(path);
  if (!parts) return refused(400, 'The path is not readable: percent-encode names, which hold no slash');
  const [what, ...rest] = parts;
  // They say nothing about the cluster, so no authorization is needed.
  if (rest.length === 0 && what === 'openapi.json') return ok(await openApi());
  if (rest.length === 0 && what === 'me') return ok({ may: [] } satisfies MeAnswer);
  const isOne = rest.length > 0 && (what === 'workloads' || what === 'sources');
  const asked = isOne ? rest[1] : query.get(what === 'what-if' ? 'ns' : 'namespace');
  const namespace = asked || undefined;
  const verdict = await request.reader.mayRead(namespace);
  if (verdict === 'unauthenticated') return refused(401, 'A valid bearer token is needed');
  if (verdict === 'forbidden') return refused(403, deniedText(namespace));
  if (isOne) {
    return what === 'workloads'
      ? explained(operatorView, questions, rest, request)
      : oneSource(operatorView, rest, request);
  }
  if (rest.length === 0) {
    // Readers of the same namespace get the same.
    const shared = (compute: () => Promise<ApiAnswer>): Promise<ApiAnswer> =>
      lists.answer(`${what} ${namespace ?? ''} ${query}`, compute);
    switch (what) {
      case 'status':
        return ok(await statusOf(operatorView, namespace));
      case 'overview':
        return shared(() => overview(operatorView, namespace));
      case 'history':
        return ok({ reloads: operatorView.history(namespace) });
      case 'workloads':
        return shared(() => workloadsAnswer(operatorView, query, namespace));
      case 'sources':
        return shared(() => sourcesAnswer(operatorView, query, namespace));
      case 'timeline':
        return timelineAnswer(operatorView, query, namespace);
      case 'stream':
        return streamed(operatorView, namespace, request);
      case 'what-if':
        return foretold(operatorView, questions, request);
    }
  }
  return refused(
    404,
    'There are status, overview, history, workloads, sources, timeline, stream, me, openapi.json, workloads/{kind}/{namespace}/{name}, sources/{kind}/{namespace}/{name} and what-if?kind=&ns=&name=',
  );
}

/** Loaded on request: it is large, and rarely needed. */
async function openApi(): Promise<unknown> {
  return (await import('./openapi.generated.json', { with: { type: 'json' } })).default;
}

/** Refuses encoded slashes: no name has one, and it would change the namespace that was authorized. */
function partsOf(path: string): string[] | undefined {
  try {
    const parts = path.slice(API_PATH.length).split('/').map(decodeURIComponent);
    return parts.some((part) => part.includes('/')) ? undefined : parts;
  } catch {
    return undefined;
  }
}

async function explained(
  operatorView: OperatorView,
  questions: Questions,
  parts: readonly string[],
  { reader, signal }: ApiRequest,
): Promise<ApiAnswer> {
  const ref = workloadNamed(parts.join('/'));
  if (!ref) {
    return refused(
      404,
      `Ask for workloads/{kind}/{namespace}/{name}; kinds are ${WORKLOAD_KINDS.join(', ')}`,
    );
  }
  const found = await questions.answer(reader.id, signal, (each) => operatorView.explain(ref, each));
  if (found) return ok(await explanationOf(operatorView, found, reader));
  return refused(404, `${ref.kind} ${ref.namespace}/${ref.name} is not known to the operator`);
}

async function oneSource(
  operatorView: OperatorView,
  parts: readonly string[],
  { reader }: ApiRequest,
): Promise<ApiAnswer> {
  const ref = sourceNamed(parts.join('/'));
  if (!ref) {
    return refused(404, `Ask for sources/{kind}/{namespace}/{name}; kinds are ${SOURCE_KINDS.join(', ')}`);
  }
  const found = await sourceOf(operatorView, ref, reader);
  if (found) return ok(found);
  return refused(
    404,
    `No workload that you may read is reloaded for ${ref.kind} ${ref.namespace}/${ref.name}`,
  );
}

async function overview(operatorView: OperatorView, namespace: string | undefined): Promise<ApiAnswer> {
  const body = await operatorView.overview(namespace);
  return { status: 200, body, etag: body.revision };
}

function streamed(
  operatorView: OperatorView,
  namespace: string | undefined,
  { reader, lastEventId, query }: ApiRequest,
): ApiAnswer {
  if (operatorView.streams.isFull) return refused(503, 'Too many streams are open: close one, or come again');
  return {
    status: 200,
    stream: (sink) =>
      operatorView.streams.open({
        sink,
        from: lastEventId ?? query.get('from') ?? undefined,
        namespace,
        stillMay: async () => (await reader.mayRead(namespace)) === 'allowed',
      }),
  };
}

async function foretold(
  operatorView: OperatorView,
  questions: Questions,
  { query, reader, signal }: ApiRequest,
): Promise<ApiAnswer> {
  const ref = sourceNamed(['kind', 'ns', 'name'].map((part) => query.get(part) ?? '').join('/'));
  if (!ref) return refused(400, `kind, ns and name are needed; kinds are ${SOURCE_KINDS.join(', ')}`);
  const keys = query.getAll('key');
  const options = { deleted: query.get('deleted') === 'true', ...(keys.length > 0 && { keys }) };
  const whole = await questions.answer(reader.id, signal, (each) => operatorView.whatIf(ref, options, each));
  return ok(await ofNamespaces(whole, reader));
}
