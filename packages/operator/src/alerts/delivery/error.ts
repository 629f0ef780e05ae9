export interface DeliveryErrorOptions {
  readonly retry: boolean;
  readonly retryAfterMs?: number | undefined;
  /** For whoever wrote the URL; `as it is` only if the message says nothing that he did not write himself. */
  readonly told?: string;
}

/** What everybody may know of a receiver that could not be reached, or did not want the message. */
export const COARSE =
  "the receiver could not be reached or did not take the message: the operator's log says more";

/**
 * Why a message was not delivered. No text of it holds a URL, a part of one, or anything from a Secret.
 *
 * `message` is for the operator's log. `told` is for statuses and Events: a tenant chooses where the operator connects
 * to, and must not learn from it what answers there.
 */
export class DeliveryError extends Error {
  override name = 'DeliveryError';
  /** Whether it may work later without anybody changing anything. */
  readonly retry: boolean;
  /** How long the receiver asks us to wait. */
  readonly retryAfterMs: number | undefined;
  readonly told: string;

  constructor(message: string, { retry, retryAfterMs, told }: DeliveryErrorOptions) {
    super(message);
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
    this.told = told === 'as it is' ? message : (told ?? COARSE);
  }
}

/** Of an error of Node: its code alone, because messages repeat hosts and addresses. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'unknown error';
}
