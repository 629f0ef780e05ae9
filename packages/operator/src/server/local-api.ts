/** `/api/v1` on the main server, for loopback. */
import type { ServerResponse } from 'node:http';
import { type HttpServer, respond } from '@reloader/runtime';
import { LOCAL_READER } from '../api/reader.ts';
import { API_PATH, type Api } from '../api/routes.ts';
import { type LocalOnlyOptions, localOnly } from './local-only.ts';

export function serveLocalApi(server: HttpServer, api: Api, options: LocalOnlyOptions = {}): void {
  const handler = localOnly(async ({ message, path, query }, response) => {
    const signal = endOf(response);
    const { status, body } = await api({ method: message.method, path, query, reader: LOCAL_READER, signal });
    respond(response, status, `${JSON.stringify(body)}\n`, 'application/json');
  }, options);
  server.route(API_PATH, handler);
}

function endOf(response: ServerResponse): AbortSignal {
  const ending = new AbortController();
  response.once('close', () => ending.abort());
  return ending.signal;
}
