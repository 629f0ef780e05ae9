/** `/api/v1` and the page that reads it on the main server, for loopback. Read-only. */
import type { HttpServer } from '@reloader/runtime';
import { LOCAL_READER } from '../api/reader.ts';
import { API_PATH, type Api } from '../api/routes.ts';
import { answerApi } from './api-http.ts';
import { type LocalOnlyOptions, localOnly } from './local-only.ts';
import { PAGE_PATH, Page } from './page.ts';

export function serveLocalApi(server: HttpServer, api: Api, options: LocalOnlyOptions = {}): void {
  server.route(
    API_PATH,
    localOnly((request, response) => answerApi(api, request, LOCAL_READER, response), options),
  );
}

export function serveLocalPage(server: HttpServer, options: LocalOnlyOptions = {}): void {
  const page = new Page();
  const handler = localOnly(({ path, message }, response) => page.serve(path, message, response), {
    ...options,
    isLinked: true,
  });
  server.route(PAGE_PATH, handler).route(PAGE_PATH.slice(0, -1), handler);
}
