/** A request on its way to the transport, with the facts that the layers in between need. */
import type { ResourceType } from '../resource.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';

/** The request's verb, as in RBAC. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'apply'
  | 'delete'
  | 'deletecollection'
  | 'raw';

/** A request as interceptors see it: with its verb, its kind, and whether it may be sent twice. */
export interface ClientRequest extends TransportRequest {
  readonly verb: Verb;
  /** In words, for messages: `list secrets in namespace "a"`. */
  readonly summary: string;
  /** Left out for raw requests. */
  readonly type?: ResourceType;
  /** Whether sending it twice has the same effect as sending it once. */
  readonly idempotent: boolean;
}

/** Sends one request; interceptors wrap it. */
export type Send = (request: ClientRequest) => Promise<TransportResponse>;

/**
 * Called for each attempt of each request just before the transport, with credentials, and sees the raw answer. May
 * change the request, answer it, or throw. Keep headers out of logs.
 */
export type Interceptor = (request: ClientRequest, next: Send) => Promise<TransportResponse>;

/** The first interceptor is the outermost. */
export function intercepted(interceptors: readonly Interceptor[], last: Send): Send {
  return interceptors.reduceRight<Send>((next, interceptor) => (request) => interceptor(request, next), last);
}

/** Drains an answer, so that its connection can be reused. Errors in the rest of it do not matter. */
export async function drain(response: TransportResponse): Promise<void> {
  try {
    for await (const _ of response.body);
  } catch {}
}
