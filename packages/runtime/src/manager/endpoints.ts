/** The endpoints of a controller: probes and metrics. */
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
    server.route(path, handler).route(`${path}/`, handler);
}

export interface MetricsEndpointOptions {
  readonly path?: string;
  /** Asked before each scrape. Everybody may read unless given. */
  readonly authorize?: RequestAuthorizer;
}

export function serveMetrics(
  server: HttpServer,
  metrics: Metrics,
  options: MetricsEndpointOptions = {},
): void {
  const { path = '/metrics', authorize } = options;
  server.route(path, async ({ message }, response) => {
    if (!isRead(message.method)) return respond(response, 405, 'only GET\n');
    const verdict = await authorize?.({
      token: bearerToken(message.headers.authorization),
      path,
      verb: 'get',
    });
    if (verdict === 'unauthenticated') return respond(response, 401, 'a valid bearer token is needed\n');
    if (verdict === 'forbidden') return respond(response, 403, `not allowed to get ${path}\n`);
    respond(response, 200, metrics.render(), CONTENT_TYPE);
  });
}

function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer\s+(?<token>\S+)$/i.exec(header ?? '')?.groups?.token;
}
