/** Everything that names no resource: discovery, version, health. */
import type { Authenticator } from '../../auth/authenticator.ts';
import type { Rbac } from '../../auth/rbac.ts';
import type { User } from '../../auth/user.ts';
import type { Cluster } from '../cluster.ts';
import type { ApiRequest, ApiResponse } from '../request.ts';
import type { RequestInfo } from '../request-info.ts';
import { textResponse } from '../respond.ts';

export interface NonResourceCall {
  readonly cluster: Cluster;
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly authenticator: Authenticator;
  readonly rbac: Rbac;
}

export function serveNonResource(_call: NonResourceCall): ApiResponse {
  return textResponse(404, '404 page not found\n');
}
