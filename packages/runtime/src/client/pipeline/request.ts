/** A request on its way to the transport, with what the layers in between need to know about it. */
import type { ResourceType } from '../resource.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';

/** What a request does, as rights name it. */
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

export interface ClientRequest extends TransportRequest {
  readonly verb: Verb;
  /** In words, for messages: `list secrets in namespace "a"`. */
  readonly summary: string;
  /** Left out for raw requests. */
  readonly type?: ResourceType;
  /** Whether sending it twice is no worse than sending it once. */
  readonly idempotent: boolean;
}

/** Sends one request; what an interceptor wraps. */
export type Send = (request: ClientRequest) => Promise<TransportResponse>;

/**
 * Sees each attempt of each request just before it goes to the transport, credentials included, and the bare
 * answer. May change the request, answer by itself, or throw. Keep the headers out of logs.
 */
export type Interceptor = (request: ClientRequest, next: Send) => Promise<TransportResponse>;

/** The first interceptor is the outermost. */
export function intercepted(interceptors: readonly Interceptor[], last: Send): Send {
  return interceptors.reduceRight<Send>((next, interceptor) => (request) => interceptor(request, next), last);
}

/**
 * Reads an answer to its end for nothing, so that its connection can be used again. The answer has been given,
 * so it does not matter when the rest of it does not come.
 */
export async function drain(response: TransportResponse): Promise<void> {
  try {
    for await (const _ of response.body);
  } catch {}
}
