/**
 * `/api/v1/…` on the main server: what the operator knows, as JSON, for the command, the dashboard and scripts.
 *
 * In: GET requests. Out: names, rules and times, never digests and nothing of a source's content. There is no login:
 * whoever reaches the port may read, as with `/metrics`; network policies decide who that is. Nothing can be changed.
 */
import type { ServerResponse } from 'node:http';
import { type HttpRequest, type HttpServer, respond } from '@reloader/runtime';
import type { SourceKind, SourceRef } from '../reloader/model/source.ts';
import { WORKLOAD_KINDS, type WorkloadRef } from '../reloader/model/workload.ts';
import type { Insight } from './insight.ts';

export const API_PATH = '/api/v1/';
const SOURCE_KINDS: readonly SourceKind[] = ['ConfigMap', 'Secret', 'SecretProviderClass'];

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const ok = (body: unknown): Answer => ({ status: 200, body });
const refused = (status: number, error: string): Answer => ({ status, body: { error } });

/** More questions at once are refused: a prediction may cost requests to the API server, and reloads come first. */
const MOST_AT_ONCE = 8;

export function serveApi(server: HttpServer, insight: Insight): void {
  let underWay = 0;
  server.route(API_PATH, async (request, response) => {
    if (underWay >= MOST_AT_ONCE) {
      send(response, refused(429, 'Too many questions at once: ask again in a moment'));
      return;
    }
    underWay += 1;
    try {
      await serve(insight, request, response);
    } finally {
      underWay -= 1;
    }
  });
}

async function serve(insight: Insight, request: HttpRequest, response: ServerResponse): Promise<void> {
  const ending = new AbortController();
  response.once('close', () => ending.abort());
  const { method = 'GET' } = request.message;
  const isRead = method === 'GET' || method === 'HEAD';
  send(
    response,
    isRead
      ? await answer(insight, request.path, request.query, ending.signal)
      : refused(405, 'Only GET is answered here'),
  );
}

function send(response: ServerResponse, { status, body }: Answer): void {
  respond(response, status, `${JSON.stringify(body)}\n`, 'application/json');
}

/** `path` as it was sent. */
export async function answer(
  insight: Insight,
  path: string,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<Answer> {
  const parts = partsOf(path);
  if (!parts) return refused(400, 'The path is not readable: percent-encode it');
  const [what, ...rest] = parts;
  const namespace = query.get('namespace') ?? undefined;
  if (what === 'status' && rest.length === 0) return ok(insight.status());
  if (what === 'history' && rest.length === 0) return ok({ reloads: insight.history(namespace) });
  if (what === 'workloads' && rest.length === 0) return ok({ workloads: insight.workloads(namespace) });
  if (what === 'workloads') return explained(insight, rest, signal);
  if (what === 'what-if' && rest.length === 0) return foretold(insight, query, signal);
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

async function explained(insight: Insight, parts: readonly string[], signal: AbortSignal): Promise<Answer> {
  const [word = '', namespace, name] = parts;
  const kind = WORKLOAD_KINDS.find((each) => each.toLowerCase() === word.toLowerCase());
  if (!kind || !namespace || !name || parts.length !== 3) {
    return refused(
      404,
      `Ask for workloads/{kind}/{namespace}/{name}; kinds are ${WORKLOAD_KINDS.join(', ')}`,
    );
  }
  const ref: WorkloadRef = { kind, namespace, name };
  const found = await insight.explain(ref, signal);
  return found ? ok(found) : refused(404, `${kind} ${namespace}/${name} is not known to the operator`);
}

async function foretold(insight: Insight, query: URLSearchParams, signal: AbortSignal): Promise<Answer> {
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
  return ok(await insight.whatIf(ref, options, signal));
}
