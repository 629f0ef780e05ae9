/**
 * The request pipeline: path, authentication, authorization, verb.
 *
 * In: requests as data. Out: answers as data. Guarantees: never throws; any request gets an answer, at worst a
 * Status. Requests are handled in the order of their arrival up to the point where they must wait.
 */

import type { Authenticator } from '../auth/authenticator.ts';
import { authorizeRequest } from '../auth/authorize.ts';
import { impersonate } from '../auth/impersonation.ts';
import type { Rbac } from '../auth/rbac.ts';
import { badRequest } from '../model/status.ts';
import type { ApiRequest, ApiResponse, Handler } from '../request/request.ts';
import { type RequestInfo, readRequestInfo } from '../request/request-info.ts';
import type { ResourceCall } from './call.ts';
import type { Cluster } from './cluster.ts';
import { serveNonResource } from './discovery/serve.ts';
import { errorResponse } from './respond.ts';
import { route } from './routes.ts';

export interface ApiServerOptions {
  readonly cluster: Cluster;
  readonly authenticator: Authenticator;
  readonly rbac: Rbac;
}

export function createApiServer(options: ApiServerOptions): Handler {
  return async (request) => {
    const warnings: string[] = [];
    try {
      return await serve(options, request, warnings);
    } catch (error) {
      return errorResponse(error, { warnings, accept: request.headers.accept });
    }
  };
}

async function serve(
  { cluster, authenticator, rbac }: ApiServerOptions,
  request: ApiRequest,
  warnings: string[],
): Promise<ApiResponse> {
  const { path, query } = parseUrl(request.path);
  const info = readRequestInfo(request.method, path, query);
  const user = impersonate(rbac, authenticator.authenticate(request), request.headers, info);
  authorizeRequest(rbac, user, info);
  const replica = request.replica ?? cluster.replica;
  const call = { cluster, request, info, query, user, warnings, replica, authenticator, rbac };
  if (!info.isResource) return serveNonResource(call);
  const authorize = (attributes: Partial<RequestInfo>): void =>
    authorizeRequest(rbac, user, { ...info, ...attributes });
  const resource: Omit<ResourceCall, 'kind'> = { ...call, authorize };
  return route(resource);
}

function parseUrl(url: string): { path: string; query: URLSearchParams } {
  const question = url.indexOf('?');
  const rawPath = question < 0 ? url : url.slice(0, question);
  const query = new URLSearchParams(question < 0 ? '' : url.slice(question + 1));
  try {
    return { path: rawPath.includes('%') ? decodeURIComponent(rawPath) : rawPath, query };
  } catch {
    throw badRequest(`the path ${JSON.stringify(rawPath)} is not encoded correctly`);
  }
}
