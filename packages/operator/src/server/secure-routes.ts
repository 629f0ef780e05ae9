/** The routes over TLS for callers with a token: metrics, `/api/v1`, and the page with its actions. */
import {
  authorizeByServer,
  type CertificateSource,
  type Client,
  type Clock,
  certificateDirectory,
  createEventRecorder,
  type Logger,
  METRICS_CONTENT_TYPE,
  type Metrics,
  managedCertificates,
  type RequestAuthorizer,
  type RequestReviewer,
  type Runnable,
  reviewByServer,
  TooManyReviewsError,
} from '@reloader/runtime';
import { ACTIONS, type Acted } from '../api/actions.ts';
import { refused } from '../api/answer.ts';
import { nameOf, tokenReader } from '../api/reader.ts';
import { API_PATH, type Api } from '../api/routes.ts';
import type { MeAnswer } from '../api/shapes.ts';
import type { SecureServerSettings, Settings } from '../settings/settings.ts';
import { actionIn, answerAction } from './action-http.ts';
import { answerApi, type Response } from './api-http.ts';
import { foreignRequest } from './local-only.ts';
import { PAGE_PATH, Page } from './page.ts';
import { PAGE_HEADERS } from './page-headers.ts';
import { type SecureHandler, SecureServer, type SecureWriter } from './secure-server.ts';
import { TokenActions } from './token-actions.ts';

export const METRICS_PATH = '/metrics';
const ME_PATH = `${API_PATH}me`;

interface ServerOptions {
  readonly settings: Pick<Settings, 'reloader'>;
  readonly metrics: Metrics;
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The API is created while the servers start: undefined until then. */
export type LaterApi = () => Api | undefined;

export function createSecureMetrics(settings: SecureServerSettings, options: ServerOptions): SecureServer {
  const authorize = authorizeByServer(options.client, options.clock);
  const routes = { [METRICS_PATH]: metricsHandler(options.metrics, authorize) };
  return create('secure metrics', 'reloader-metrics-cert', settings, options, routes);
}

export function createSecureApi(
  path: string,
  api: LaterApi,
  settings: SecureServerSettings,
  options: ServerOptions,
): SecureServer {
  const authorize = authorizeByServer(options.client, options.clock);
  const write: SecureWriter = (asked, response) =>
    answerApi(api() ?? notReady, asked, tokenReader(asked.token, authorize), response);
  return create('secure API', 'reloader-api-cert', settings, options, {}, { [path]: write });
}

/** The page's files need no token; its data and its actions do. */
export function createSecureUi(
  api: LaterApi,
  settings: SecureServerSettings,
  allowedHosts: readonly string[],
  options: ServerOptions,
): readonly [SecureServer, Runnable] {
  const review = reviewByServer(options.client, options.clock);
  const authorize: RequestAuthorizer = async (request) => (await review(request)).verdict;
  const { operatorNamespace: namespace, operatorName: name } = options.settings.reloader;
  const service = ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`];
  const hosts = new Set([
    'localhost',
    '127.0.0.1',
    '[::1]',
    ...service.map((end) => name + end),
    ...allowedHosts,
  ]);
  const page = new Page();
  const events = createEventRecorder({
    client: options.client,
    component: 'reloader-ui',
    clock: options.clock,
    logger: options.logger,
  });
  const actions = new TokenActions({ client: options.client, events, operatorNamespace: namespace, api });
  const guarded =
    (write: SecureWriter, isLinked = false): SecureWriter =>
    (asked, response) => {
      const why = foreignRequest(asked.message.headers, hosts, isLinked);
      if (!why) return write(asked, response);
      sendJson(response, { status: why.status, body: { error: why.error } });
    };
  const served = guarded(({ path, message }, response) => page.serve(path, message, response), true);
  const writers = {
    [PAGE_PATH]: served,
    [PAGE_PATH.slice(0, -1)]: served,
    [API_PATH]: guarded(async (asked, response) => {
      const { token, path, query, message } = asked;
      const reader = tokenReader(token, authorize);
      const action = actionIn(path.slice(API_PATH.length));
      if (path === ME_PATH)
        return sendJson(response, await meAnswer(review, token, query.get('namespace') || undefined));
      if (action === undefined) return answerApi(api() ?? notReady, asked, reader, response);
      const ending = new AbortController();
      response.once('close', () => ending.abort());
      const caller = { token, reader, signal: ending.signal };
      const acts = (body: unknown) => actions.act(action, body, caller);
      sendJson(response, await answerAction(message, () => actions.mayAct(caller), acts));
    }),
  };
  // The certificate of the API: it names the Service, which is the same for the page.
  return [create('page', 'reloader-api-cert', settings, options, {}, writers), events];
}

/** A caller without a valid token gets only the list of actions, which the page shows anyway. */
async function meAnswer(
  review: RequestReviewer,
  token: string | undefined,
  namespace: string | undefined,
): Promise<Acted> {
  try {
    const user = await nameOf(token, namespace, review);
    const body: MeAnswer = { ...(user !== undefined && { user }), may: ACTIONS };
    return { status: 200, body };
  } catch (error) {
    if (!(error instanceof TooManyReviewsError)) throw error;
    return { status: 503, body: { error: error.message } };
  }
}

function sendJson(response: Response, { status, body, allow }: Acted): void {
  response
    .writeHead(status, {
      ...PAGE_HEADERS,
      'content-type': 'application/json',
      ...(allow !== undefined && { allow }),
    })
    .end(`${JSON.stringify(body)}\n`);
}

const notReady: Api = async () => refused(503, 'Not ready yet');

function create(
  name: string,
  secret: string,
  settings: SecureServerSettings,
  options: ServerOptions,
  routes: Readonly<Record<string, SecureHandler>>,
  writers: Readonly<Record<string, SecureWriter>> = {},
): SecureServer {
  const { address, http2 } = settings;
  const certificates = certificatesOf(secret, settings, options);
  return new SecureServer({ name, address, http2, certificates, routes, writers, logger: options.logger });
}

/** No caller is accepted while the API server cannot be asked. */
function metricsHandler(metrics: Metrics, authorize: RequestAuthorizer): SecureHandler {
  return async ({ token }) => {
    try {
      const verdict = await authorize({ token, path: METRICS_PATH, verb: 'get' });
      if (verdict === 'unauthenticated') return { status: 401, body: 'a valid bearer token is needed\n' };
      if (verdict === 'forbidden') return { status: 403, body: `not allowed to get ${METRICS_PATH}\n` };
    } catch (error) {
      if (error instanceof TooManyReviewsError) return { status: 503, body: `${error.message}\n` };
      throw error;
    }
    return { status: 200, body: metrics.render(), contentType: METRICS_CONTENT_TYPE };
  };
}

/**
 * Without files from the user: one certificate for all replicas, kept in a Secret from which callers can take the CA.
 */
function certificatesOf(
  secret: string,
  { certificate }: SecureServerSettings,
  { settings, client, clock, logger }: ServerOptions,
): CertificateSource {
  if (certificate) return certificateDirectory({ ...certificate, clock, logger });
  const { operatorNamespace: namespace, operatorName } = settings.reloader;
  return managedCertificates({
    client,
    secret: { namespace, name: secret },
    service: { namespace, name: operatorName },
    names: ['localhost'],
    configurations: [],
    clock,
    logger,
  });
}
