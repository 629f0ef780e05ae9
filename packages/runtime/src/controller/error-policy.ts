/** A default error policy for the classes of `classifyError`. */
import { TerminalError } from '../model/errors.ts';
import type { ObjectKey } from '../model/types.ts';
import { CONFIGURATION_RETRY_MS, classifyError } from './errors.ts';
import type { Reconciler } from './reconciler.ts';

/** How each class of errors is treated. */
export interface ErrorPolicyOptions {
  /** Requeue interval after a configuration error; 5 minutes unless given. */
  readonly configurationRetryMs?: number | undefined;
}

/**
 * Wraps a reconciler: errors of class `configuration` are logged and requeued after five minutes instead of with
 * backoff, `terminal` ones are not retried at all, all others pass through.
 */
export function withErrorPolicy<R extends ObjectKey>(
  reconcile: Reconciler<R>,
  options: ErrorPolicyOptions = {},
): Reconciler<R> {
  const { configurationRetryMs = CONFIGURATION_RETRY_MS } = options;
  return async (request, context) => {
    try {
      const result = await reconcile(request, context);
      // A result with an error says the same as throwing it.
      if (result?.error !== undefined) throw result.error;
      return result;
    } catch (error) {
      const kind = classifyError(error);
      if (kind === 'terminal' && !(error instanceof TerminalError)) {
        throw new TerminalError('Reconcile failed and cannot succeed; not retried', { cause: error });
      }
      if (kind !== 'configuration') throw error;
      context.logger.warn('Reconcile failed until a person acts; requeued later', {
        error,
        retryInMs: configurationRetryMs,
      });
      return { requeueAfterMs: configurationRetryMs };
    }
  };
}
