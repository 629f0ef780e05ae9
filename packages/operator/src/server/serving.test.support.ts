/** The operator's servers with given settings, on free ports of loopback, and requests to them. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import {
  type Client,
  createRegistry,
  Health,
  HttpServer,
  type Runnable,
  silentLogger,
  systemClock,
} from '@reloader/runtime';
import { parseSettings } from '../settings/parse.ts';
import { nobody, run } from './harness.test.support.ts';
import type { Leadership } from './leadership.ts';
import { createServers } from './servers.ts';

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly type: string | undefined;
}

export interface Asking {
  readonly method?: string;
  readonly token?: string;
  readonly ca?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function get(url: string, options: Asking = {}): Promise<Answer> {
  const { method = 'GET', token, ca, body: sending } = options;
  const headers = { ...options.headers, ...(token && { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    const sent = (url.startsWith('https') ? httpsRequest : httpRequest)(
      url,
      { method, headers, agent: false, ...(ca !== undefined && { ca, servername: 'localhost' }) },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode, body, type: response.headers['content-type'] }),
        );
      },
    );
    sent.on('error', reject).end(sending);
  });
}

interface SetUp {
  readonly argv?: readonly string[];
  readonly leadership?: Leadership;
  readonly client?: Client;
}

/** Every address is a free port on loopback. */
export async function serve({ argv = [], leadership, client = nobody }: SetUp = {}) {
  const settings = parseSettings(['--http-bind-address=127.0.0.1:0', ...argv], {
    RELOADER_NAMESPACE: 'default',
  });
  const health = new Health();
  const metrics = createRegistry();
  metrics.counter({ name: 'things_total', help: 'Things' }).inc();
  const servers = await createServers({
    settings,
    health,
    metrics,
    client,
    clock: systemClock,
    logger: silentLogger,
    ...(leadership && { leadership }),
  });
  const running = await Promise.all(servers.runnables.map(run));
  const urlOf = (runnable: Runnable | undefined): string =>
    runnable instanceof HttpServer ? `http://127.0.0.1:${runnable.port}` : '';
  return { ...servers, running, health, urls: servers.runnables.map(urlOf) };
}
