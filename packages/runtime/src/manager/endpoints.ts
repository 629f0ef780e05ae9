/** HTTP endpoints of a controller: probes, metrics, and queue inspection. */
import type { Metrics } from '../metrics/metrics.ts';
import { CONTENT_TYPE } from '../metrics/text-format.ts';
import type { RequestAuthorizer } from './authorization.ts';
import type { Health } from './health.ts';
import { type HttpHandler, type HttpServer, refuseMethod, respond } from './http-server.ts';

/** Adds `/healthz`, `/livez` and `/readyz`, each with its individual checks as subpaths. */
export function serveHealth(server: HttpServer, health: Health): void {
  const handler: HttpHandler = async ({ message, path, query }, response) => {
    if (!isRead(message.method)) return refuseMethod(response);
    const { status, body } = await health.answer(path, query);
    respond(response, status, body);
  };
  for (const path of ['/healthz', '/livez', '/readyz'])
    server.route(path, handler, { isUrgent: true }).route(`${path}/`, handler, { isUrgent: true });
}

/** Path and authorization of an endpoint. */
export interface EndpointOptions {
  readonly path?: string | undefined;
  /** Called before each answer. Unless given, everyone may read. */
  readonly authorize?: RequestAuthorizer | undefined;
}

/** Adds `/metrics`. */
export function serveMetrics(server: HttpServer, metrics: Metrics, options: EndpointOptions = {}): void {
  const path = options.path ?? '/metrics';
  const rendered = sharedRendering(() => metrics.render());
  server.route(
    path,
    guarded(path, options, (arrivedAt) => ({ body: rendered(arrivedAt), contentType: CONTENT_TYPE })),
  );
}

/** A controller, as far as inspection needs it. */
export interface Inspectable {
  readonly name: string;
  inspect(): unknown;
}

/**
 * Adds `/debug/queues`: for each controller every key that waits, runs or failed, with when and why. It names objects
 * and quotes errors, so use `authorize`, or an address that only the pod itself can reach.
 */
export function serveInspection(
  server: HttpServer,
  controllers: readonly Inspectable[],
  options: EndpointOptions = {},
): void {
  const path = options.path ?? '/debug/queues';
  const inspect = (): object =>
    Object.fromEntries(controllers.map((controller) => [controller.name, controller.inspect()]));
  server.route(
    path,
    guarded(path, options, () => ({
      body: `${JSON.stringify(inspect())}\n`,
      contentType: 'application/json',
    })),
  );
}

/** Concurrent scrapes share one rendering: it is made after all of them asked. */
function sharedRendering(render: () => string): (arrivedAt: number) => Uint8Array {
  let last: { readonly beganAt: number; readonly body: Uint8Array } | undefined;
  return (arrivedAt) => {
    if (!last || last.beganAt < arrivedAt) last = { beganAt: performance.now(), body: Buffer.from(render()) };
    return last.body;
  };
}

function guarded(
  path: string,
  { authorize }: EndpointOptions,
  answer: (arrivedAt: number) => { readonly body: string | Uint8Array; readonly contentType: string },
): HttpHandler {
  return async ({ message, arrivedAt }, response) => {
    if (!isRead(message.method)) return refuseMethod(response);
    const verdict = await authorize?.({
      token: bearerToken(message.headers.authorization),
      path,
      verb: 'get',
    });
    if (verdict === 'unauthenticated') return respond(response, 401, 'a valid bearer token is needed\n');
    if (verdict === 'forbidden') return respond(response, 403, `not allowed to get ${path}\n`);
    const { body, contentType } = answer(arrivedAt);
    respond(response, 200, body, contentType);
  };
}

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer\s+(?<token>\S+)$/i.exec(header ?? '')?.groups?.token;
}
