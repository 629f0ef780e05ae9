/** The endpoints of a controller: probes, metrics, and what it waits for. */
import type { Metrics } from '../metrics/metrics.ts';
import { CONTENT_TYPE } from '../metrics/text-format.ts';
import type { RequestAuthorizer } from './authorization.ts';
import type { Health } from './health.ts';
import { type HttpHandler, type HttpServer, respond } from './http-server.ts';

/** Adds `/healthz`, `/livez` and `/readyz`, each with its single checks below it. */
export function serveHealth(server: HttpServer, health: Health): void {
  const handler: HttpHandler = async ({ message, path, query }, response) => {
    if (!isRead(message.method)) return respond(response, 405, 'only GET\n');
    const { status, body } = await health.answer(path, query);
    respond(response, status, body);
  };
  for (const path of ['/healthz', '/livez', '/readyz'])
    server.route(path, handler, { isUrgent: true }).route(`${path}/`, handler, { isUrgent: true });
}

/** Where an endpoint is served, and to whom. */
export interface EndpointOptions {
  readonly path?: string | undefined;
  /** Asked before each answer. Everybody may read unless given. */
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

/** Something that can tell what it waits for: a controller. */
export interface Inspectable {
  readonly name: string;
  inspect(): unknown;
}

/**
 * Adds `/debug/queues`: for each controller every key that waits, runs or failed, with when and why. It names
 * objects and quotes errors, so it belongs behind `authorize`, or on an address that only the pod itself can reach.
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

/** Of all who wait at the same time only the first costs a rendering: it was made after the others had asked, too. */
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
    if (!isRead(message.method)) return respond(response, 405, 'only GET\n');
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
