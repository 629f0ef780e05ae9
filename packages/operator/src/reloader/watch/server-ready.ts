/**
 * Waits until the API server can be believed.
 *
 * A server that has just started answers 403 to everything until it has read its rules. Whoever asks then what it may
 * do, or for its own key, hears no and would live by that answer. `/readyz` is open to everybody, so a refusal there is
 * no answer; and a server that is not there yet is worth waiting for, too.
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
/** Where somebody closed `/readyz` for us, nobody has to wait longer than this. */
const LONGEST_MS = 20_000;

/** True if it was ready at once: what was asked meanwhile can be believed. */
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
 * Asks beside the question whether the server is ready, and again where it was not: an answer of a server that has just
 * started is not worth having.
 */
export async function askedOfReady<T>(ready: Promise<boolean>, ask: () => Promise<T>): Promise<T> {
  const early = ask();
  // Looked at below, or never.
  early.catch(() => undefined);
  return (await ready) ? early : ask();
}

/** Undefined when it is ready. What is no trouble of the server is thrown. */
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
