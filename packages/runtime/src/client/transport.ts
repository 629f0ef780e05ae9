/**
 * The interface between the client and the wire. Two implementations exist: HTTP/2 over TLS with an HTTP/1.1 fallback
 * (`http/`), and in-process servers, with which simulations run without sockets.
 */
export interface TransportRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that are sent once per value: impersonated groups need it. */
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body?: Uint8Array | string;
  readonly signal?: AbortSignal;
}

/** An answer whose body is streamed. */
export interface TransportResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Chunks as they arrive. A slow consumer slows the sender (backpressure); leaving the loop early cancels
   * the request; a lost connection throws a `ConnectionError`.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Carries requests to an API server and answers back. */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}
