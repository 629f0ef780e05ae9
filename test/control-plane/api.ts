/** The few administrator requests that setting up a control plane needs. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly body?: unknown;
  readonly contentType?: string;
  /** Instead of the administrator's. */
  readonly token?: string;
  readonly signal?: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: string;
}

export interface ApiOptions {
  readonly server: string;
  readonly authority: string;
  readonly token: string;
}

const requestTimeout = 10_000;

export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /** The answer, whatever its status. */
  async send(path: string, request: ApiRequest = {}): Promise<ApiAnswer> {
    const { server, authority, token } = this.#options;
    return send(`${server}${path}`, { token, ...request, authority });
  }

  /** The answer's object; throws for an error status, with the server's message. */
  async call(path: string, request: ApiRequest = {}): Promise<Record<string, unknown>> {
    const { status, body } = await this.send(path, request);
    if (status >= 300)
      throw new Error(`${request.method ?? 'GET'} ${path} was answered with ${status}: ${body}`);
    return JSON.parse(body) as Record<string, unknown>;
  }

  /** Creates the object or updates the existing one. */
  async apply(path: string, object: object, signal?: AbortSignal): Promise<void> {
    await this.call(`${path}?fieldManager=control-plane&force=true`, {
      method: 'PATCH',
      contentType: 'application/apply-patch+yaml',
      body: object,
      ...(signal === undefined ? {} : { signal }),
    });
  }
}

/** One request per connection, so that a restarted server never gets an old connection. */
export async function send(
  url: string,
  options: ApiRequest & { readonly authority?: string | undefined },
): Promise<ApiAnswer> {
  const { method = 'GET', body, contentType = 'application/json', token, authority, signal } = options;
  const headers: Record<string, string> = {
    'user-agent': 'control-plane-setup',
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': contentType }),
  };
  const common = {
    method,
    headers,
    agent: false,
    timeout: requestTimeout,
    ...(signal && { signal }),
  } as const;
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:')
      ? httpsRequest(url, { ...common, ca: authority })
      : httpRequest(url, common);
    request.once('error', reject);
    request.once('timeout', () =>
      request.destroy(new Error(`${url} gave no answer in ${requestTimeout} ms`)),
    );
    request.once('response', (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
