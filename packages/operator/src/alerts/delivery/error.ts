/** Why a message was not delivered. No text of it holds a URL, a part of one, or anything from a Secret. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  /** Whether it may work later without anybody changing anything. */
  readonly retry: boolean;
  /** How long the receiver asks us to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    { retry, retryAfterMs }: { retry: boolean; retryAfterMs?: number | undefined },
  ) {
    super(message);
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Of an error of Node: its code alone, because messages repeat hosts and addresses. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'unknown error';
}
