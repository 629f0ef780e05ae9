export interface DeliveryErrorOptions {
  readonly retry: boolean;
  readonly retryAfterMs?: number | undefined;
  /** For the author of the URL. `as it is` only if the message says nothing but what the author wrote. */
  readonly told?: string;
}

/** All that may be published about a receiver that could not be reached, or refused the message. */
export const COARSE =
  "the receiver could not be reached or did not take the message: the operator's log says more";

/**
 * The reason why a message was not delivered. None of its texts contains a URL, a part of one, or anything from a
 * Secret.
 *
 * `message` is for the operator's log. `told` is for statuses and Events: a tenant chooses where the operator connects
 * to, and must not learn from it what answers there.
 */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  /** Whether a retry can succeed without a change of the configuration. */
  readonly retry: boolean;
  /** The pause that the receiver asks for. */
  readonly retryAfterMs: number | undefined;
  readonly told: string;

  constructor(message: string, { retry, retryAfterMs, told }: DeliveryErrorOptions) {
    super(message);
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
    this.told = told === 'as it is' ? message : (told ?? COARSE);
  }
}

/** Only the code of a Node error, because messages repeat hosts and addresses. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'unknown error';
}
