/** Turns a denial into the 403 that clients know. */

import { forbidden, StatusError } from '../model/status.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { Rbac } from './rbac.ts';
import type { User } from './user.ts';

export function authorizeRequest(rbac: Rbac, user: User, info: RequestInfo): void {
  const { allowed, reason } = rbac.authorize(user, info);
  if (!allowed) throw refusal(user, info, reason);
}

export function refusal(user: User, info: RequestInfo, reason: string): StatusError {
  const suffix = reason ? `: ${reason}` : '';
  if (!info.isResource) {
    const message = `forbidden: User "${user.name}" cannot ${info.verb} path "${info.path}"${suffix}`;
    return new StatusError(403, 'Forbidden', message, {});
  }
  const resource = info.subresource ? `${info.resource}/${info.subresource}` : info.resource;
  const where = info.namespace ? `in the namespace "${info.namespace}"` : 'at the cluster scope';
  const why = `User "${user.name}" cannot ${info.verb} resource "${resource}" in API group "${info.group}" ${where}`;
  return forbidden({ group: info.group, resource: info.resource }, info.name, why + suffix);
}
