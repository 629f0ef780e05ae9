/** A ready-made answer to the classes of `classifyError`. */
import { TerminalError } from '../model/errors.ts';
import type { ObjectKey } from '../model/types.ts';
import { CONFIGURATION_RETRY_MS, classifyError } from './errors.ts';
import type { Reconciler } from './reconciler.ts';

/** How the classes of errors are answered. */
export interface ErrorPolicyOptions {
  /** When to look again at what somebody has to put right; 5 minutes unless given. */
  readonly configurationRetryMs?: number | undefined;
}

/**
 * Wraps a reconciler: errors of class `configuration` are logged and looked at again in five minutes instead of
 * being retried with backoff, `terminal` ones are not retried at all, everything else passes.
 */
export function withErrorPolicy<R extends ObjectKey>(
  reconcile: Reconciler<R>,
  options: ErrorPolicyOptions = {},
): Reconciler<R> {
  const { configurationRetryMs = CONFIGURATION_RETRY_MS } = options;
  return async (request, context) => {
    try {
      return await reconcile(request, context);
    } catch (error) {
      const kind = classifyError(error);
      if (kind === 'terminal' && !(error instanceof TerminalError)) {
        throw new TerminalError('Trying again cannot help', { cause: error });
      }
      if (kind !== 'configuration') throw error;
      context.logger.warn('Somebody has to put this right; it is looked at again later', {
        error,
        retryInMs: configurationRetryMs,
      });
      return { requeueAfterMs: configurationRetryMs };
    }
  };
}
