/** Error answers of a server. */
import type { ApiResponse } from '@reloader/minicluster';
import type { Asked } from './storm.ts';

function refusal(code: number, reason: string, message: string): ApiResponse {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  return {
    status: code,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify(status)),
  };
}

export const conflict = ({ resource, name }: Asked): ApiResponse =>
  refusal(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resource} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
  );

export const rejectedByWebhook = (_: Asked): ApiResponse =>
  refusal(
    400,
    'BadRequest',
    'admission webhook "policy.example.test" denied the request: no restarts on Fridays',
  );

export const forbiddenByPolicy = ({ resource, name }: Asked): ApiResponse =>
  refusal(
    403,
    'Forbidden',
    `${resource} "${name}" is forbidden: ValidatingAdmissionPolicy 'freeze' with binding 'all' denied request: no restarts on Fridays`,
  );

export const exceededQuota = ({ resource, name }: Asked): ApiResponse =>
  refusal(
    403,
    'Forbidden',
    `${resource} "${name}" is forbidden: exceeded quota: small, requested: count/${resource}=1, used: count/${resource}=2, limited: count/${resource}=2`,
  );

/** A server without watch-list support: it rejects the unknown parameters. */
export const withoutWatchList = ({ verb, query }: Asked): ApiResponse | undefined =>
  verb === 'watch' && query.has('sendInitialEvents')
    ? refusal(
        422,
        'Invalid',
        'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: not supported',
      )
    : undefined;

export const unavailable = (_: Asked): ApiResponse =>
  refusal(500, 'InternalError', 'an error on the server ("") has prevented the request from succeeding');
