/** All paths without a resource: discovery, OpenAPI, version, health, metrics. */
import { createHash } from 'node:crypto';
import { methodNotAllowed, noSuchResource } from '../../model/status.ts';
import { type ApiResponse, encodeText } from '../../request/request.ts';
import type { NonResourceCall } from '../call.ts';
import type { Cluster } from '../cluster.ts';
import { jsonResponse, textResponse } from '../respond.ts';
import {
  AGGREGATED,
  aggregated,
  coreVersions,
  groupList,
  isBuiltInGroup,
  resources,
  singleGroup,
  wantsAggregated,
} from './groups.ts';
import { metricsText } from './metrics.ts';
import { serveOpenApi } from './openapi.ts';
import { VERSION } from './version.ts';

const HEALTH = new Set(['healthz', 'livez', 'readyz']);

export function serveNonResource(call: NonResourceCall): ApiResponse {
  const { cluster, request, info, query } = call;
  if (info.path.includes('//')) return nothing();
  const parts = info.path.split('/').filter((part) => part !== '');
  const [first = '', second, third] = parts;
  if (HEALTH.has(first)) return health(first, query, second);
  const answer = find();
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  return answer;

  function find(): ApiResponse {
    if (parts.length === 0) return jsonResponse(200, { paths: paths(cluster) });
    if (first === 'version' && parts.length === 1) return jsonResponse(200, VERSION);
    if (first === 'metrics' && parts.length === 1) {
      return textResponse(200, metricsText(cluster), 'text/plain; version=0.0.4; charset=utf-8');
    }
    if (first === 'openapi') return serveOpenApi(call, parts) ?? nothing();
    if (first === 'api') return api();
    if (first === 'apis') return apis();
    return nothing();
  }

  function api(): ApiResponse {
    if (second === undefined) {
      if (wantsAggregated(request.headers.accept)) return tagged(call, aggregated(cluster, true));
      return jsonResponse(200, coreVersions(request.headers.host ?? 'minicluster'));
    }
    return found(resources(cluster, '', second));
  }

  function apis(): ApiResponse {
    if (second === undefined) {
      if (wantsAggregated(request.headers.accept)) return tagged(call, aggregated(cluster, false));
      return jsonResponse(200, groupList(cluster));
    }
    const group = singleGroup(cluster, second);
    if (!group) return nothing();
    if (third === undefined) return jsonResponse(200, group);
    const list = resources(cluster, second, third);
    return list || isBuiltInGroup(cluster, second) ? found(list) : nothing();
  }
}

const nothing = (): ApiResponse => textResponse(404, '404 page not found\n');

function found(document: object | undefined): ApiResponse {
  if (!document) throw noSuchResource();
  return jsonResponse(200, document);
}

/** Documents that clients cache have an ETag, and are not sent again while it is unchanged. */
function tagged(call: NonResourceCall, document: object): ApiResponse {
  const text = `${JSON.stringify(document)}\n`;
  const etag = `"${createHash('sha256').update(text).digest('hex').toUpperCase()}"`;
  const headers = { 'cache-control': 'public', 'content-type': AGGREGATED, etag, vary: 'Accept' };
  const known = call.request.headers['if-none-match'] === etag;
  return { status: known ? 304 : 200, headers, body: encodeText(known ? '' : text) };
}

function health(name: string, query: URLSearchParams, check: string | undefined): ApiResponse {
  if (check !== undefined && check !== 'ping') return nothing();
  if (!query.has('verbose') || check !== undefined) return textResponse(200, 'ok');
  return textResponse(200, `[+]ping ok\n${name} check passed\n`);
}

function paths(cluster: Cluster): string[] {
  const groups = cluster.kinds
    .groups()
    .flatMap(({ name, versions }) =>
      name === ''
        ? versions.map((version) => `/api/${version}`)
        : [`/apis/${name}`, ...versions.map((version) => `/apis/${name}/${version}`)],
    );
  const others = [
    '/api',
    '/apis',
    '/healthz',
    '/livez',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
  ];
  return [...groups, ...others].sort();
}
