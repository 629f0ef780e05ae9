/**
 * Waits until the API server's answers are reliable.
 *
 * A server that has just started answers 403 to everything until it has loaded its RBAC rules. An operator that checks
 * its permissions or reads its key at that time would keep the wrong answer. Everyone may read `/readyz`, so a refusal
 * there means "not ready". A server that cannot be reached yet is waited for, too.
 */
import {
  ApiError,
  type Client,
  type Clock,
  ConnectionError,
  type Logger,
  RequestTimeoutError,
  sleep,
} from '@reloader/runtime';

export interface ServerReadyOptions {
  readonly client: Pick<Client, 'raw'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const ASK_AGAIN_MS = 250;
/** Upper limit of the wait, for clusters that do not let us read `/readyz`. */
const LONGEST_MS = 20_000;

/** True if it was ready at once: answers received meanwhile are reliable. */
export async function serverReady({ client, clock, logger, signal }: ServerReadyOptions): Promise<boolean> {
  const start = clock.monotonic();
  let told = false;
  for (;;) {
    const problem = await problemOf(client, signal);
    if (problem === undefined) return !told;
    if (clock.monotonic() - start >= LONGEST_MS) {
      logger.warn('The API server does not say that it is ready; going on all the same', { error: problem });
      return false;
    }
    if (!told) logger.info('Waiting for the API server to be ready', { error: problem });
    told = true;
    await sleep(clock, ASK_AGAIN_MS, signal);
  }
}

/**
 * Sends a request in parallel with the readiness check, and repeats it if the server was not ready: answers of a
 * starting server are not reliable.
 */
export async function askedOfReady<T>(ready: Promise<boolean>, ask: () => Promise<T>): Promise<T> {
  const early = ask();
  // The result is awaited below or not needed: no unhandled rejection.
  early.catch(() => undefined);
  return (await ready) ? early : ask();
}

/** Undefined if the server is ready. Errors that are not the server's fault are thrown. */
async function problemOf(client: Pick<Client, 'raw'>, signal: AbortSignal): Promise<Error | undefined> {
  try {
    const { body } = await client.raw({ method: 'GET', path: '/readyz', headers: {}, signal });
    for await (const _ of body);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    const passes = [ApiError, ConnectionError, RequestTimeoutError].some((type) => error instanceof type);
    if (passes) return error as Error;
    throw error;
  }
}
