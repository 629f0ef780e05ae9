/**
 * The page on loopback, for the user who started it: reads are forwarded to the operator, actions are made with that
 * user's own rights.
 *
 * In: requests of one browser. Out: files of the page, answers of the operator, results of actions. Guarantees: it
 * listens only on 127.0.0.1; every request about the cluster needs the key in the fragment of the address, which no
 * other site and no other user of this machine has; a request that names another host, or that another site makes, is
 * refused before anything else. There are no cookies, so another site cannot use any.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Acted } from '../../api/actions.ts';
import { API_PATH } from '../../api/routes.ts';
import { actionIn, actionRate, answerAction } from '../../server/action-http.ts';
import { isOpened } from '../../server/local-only.ts';
import { PAGE_PATH, Page } from '../../server/page.ts';
import { PAGE_HEADERS } from '../../server/page-headers.ts';
import type { Open } from '../open-request.ts';

export interface DoorOptions {
  /** Opens a request to the operator; rejects while it cannot be reached. */
  readonly open: Open;
  /** The user, and the actions that the user may try. */
  readonly me: () => Promise<unknown>;
  readonly act: (name: string, body: unknown) => Promise<Acted>;
  readonly port: number;
  readonly page?: Page;
  /** For tests; a new one for each session otherwise. */
  readonly key?: string;
}

export interface Door {
  readonly address: string;
  close(): Promise<void>;
}

/** Headers that are passed on: of a request to the operator, and of its answer to the browser. */
const ASKED = ['accept-encoding', 'if-none-match', 'last-event-id'];
const ANSWERED = ['content-type', 'content-encoding', 'etag', 'vary', 'x-accel-buffering'];

export async function openDoor(options: DoorOptions): Promise<Door> {
  const key = options.key ?? randomBytes(16).toString('base64url');
  const ending = new AbortController();
  const house: House = {
    ...options,
    key,
    page: options.page ?? new Page(),
    hosts: () => ['127.0.0.1', 'localhost'].map((name) => `${name}:${portOf(server)}`),
    mayAct: actionRate(),
    ending: ending.signal,
  };
  const server: Server = createServer((message, response) => {
    void new Visit(message, response, house).answer();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${portOf(server)}${PAGE_PATH}#/now?key=${key}`,
    close: () => {
      ending.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** The state that all requests share. */
interface House extends DoorOptions {
  readonly key: string;
  readonly page: Page;
  readonly hosts: () => readonly string[];
  readonly mayAct: () => boolean;
  readonly ending: AbortSignal;
}

class Visit {
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #house: House;

  constructor(message: IncomingMessage, response: ServerResponse, house: House) {
    this.#message = message;
    this.#response = response;
    this.#house = house;
  }

  async answer(): Promise<void> {
    const [path = '/'] = (this.#message.url ?? '/').split('?', 1);
    const isPage = path.startsWith(PAGE_PATH) || `${path}/` === PAGE_PATH;
    const refusal = this.#refusal(isPage);
    try {
      if (refusal) this.#send(...refusal);
      else if (isPage) await this.#house.page.serve(path, this.#message, this.#response);
      else if (!path.startsWith(API_PATH)) this.#send(404, { error: 'There is nothing here' });
      else if (!this.#hasKey())
        this.#send(401, { error: 'Open the address that "reloader ui" printed: its end is the key' });
      else await this.#api(path.slice(API_PATH.length));
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (this.#response.headersSent) this.#response.destroy();
      else this.#send(502, { error: `The operator cannot be asked: ${text}` });
    }
  }

  /** Checks headers that another site cannot make a browser omit or change. Links on other sites may lead to the page. */
  #refusal(isPage: boolean): [number, { readonly error: string }] | undefined {
    const { host = '', origin } = this.#message.headers;
    const site = this.#message.headers['sec-fetch-site'];
    if (!this.#house.hosts().includes(host))
      return [421, { error: 'Not for the host that the request names' }];
    const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
    if (!isOwnSite && !(isPage && isOpened(this.#message.headers)))
      return [403, { error: 'Not for requests that another site makes' }];
    if (origin !== undefined && origin !== `http://${host}`)
      return [403, { error: 'Not for requests that another site makes' }];
    return undefined;
  }

  #hasKey(): boolean {
    const given = Buffer.from(String(this.#message.headers['x-reloader-key'] ?? ''));
    const wanted = Buffer.from(this.#house.key);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  async #api(what: string): Promise<void> {
    const { method } = this.#message;
    const action = actionIn(what);
    if (action !== undefined) await this.#act(action);
    else if (method !== 'GET') this.#send(405, { error: 'Only GET is answered here' }, 'GET');
    else if (what === 'me') this.#send(200, await this.#house.me());
    else await this.#pass();
  }

  async #act(name: string): Promise<void> {
    const { mayAct, act } = this.#house;
    const { status, body, allow } = await answerAction(this.#message, mayAct, (said) => act(name, said));
    this.#send(status, body, allow);
  }

  async #pass(): Promise<void> {
    const gone = new AbortController();
    this.#response.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.#house.ending]);
    const { status, headers, body } = await this.#house.open(
      this.#message.url ?? '/',
      picked(this.#message.headers, ASKED),
      signal,
    );
    this.#response.writeHead(status, { ...PAGE_HEADERS, ...picked(headers, ANSWERED) });
    this.#response.flushHeaders();
    try {
      for await (const chunk of body) {
        if (!this.#response.write(chunk)) await once(this.#response, 'drain', { signal });
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    this.#response.end();
  }

  #send(status: number, body: unknown, allow?: string): void {
    this.#response.writeHead(status, {
      ...PAGE_HEADERS,
      'content-type': 'application/json',
      ...(allow !== undefined && { allow }),
    });
    this.#response.end(`${JSON.stringify(body)}\n`);
  }
}

function picked(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const found = names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
  return Object.fromEntries(found) as Record<string, string>;
}
