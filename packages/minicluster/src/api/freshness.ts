/** Reads with a minimum revision: wait for it briefly, then answer that it is in the future. */
import { sleep } from '@reloader/runtime';
import { badRequest, StatusError } from '../model/status.ts';
import type { Replica } from '../storage/replica.ts';
import type { ResourceCall } from './call.ts';
import type { Cluster } from './cluster.ts';

const PATIENCE_MS = 3_000;

/** A resourceVersion parameter as a number. Throws 400. */
export function readRevision(text: string): number {
  if (/^[0-9]+$/.test(text)) return Number(text);
  throw badRequest(`invalid resource version: ${revisionProblem(text)}`);
}

export const revisionProblem = (text: string): string =>
  `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;

/** Throws 504 if `replica` does not reach `revision` in time. */
export async function waitUntilFresh(
  cluster: Cluster,
  replica: Replica,
  revision: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (replica.revision >= revision) return;
  const over = new AbortController();
  const stop = (): void => over.abort();
  signal?.addEventListener('abort', stop, { once: true });
  const patience = sleep(cluster.clock, PATIENCE_MS, over.signal).catch(() => undefined);
  const reached = await replica.reached(revision, patience);
  signal?.removeEventListener('abort', stop);
  over.abort();
  if (!reached) throw tooLarge(revision, replica.revision);
}

/** Waits as the call's resourceVersion requires; `''` and `0` require nothing. */
export async function waitForRequested(call: ResourceCall, resourceVersion: string): Promise<void> {
  if (resourceVersion === '' || resourceVersion === '0') return;
  await waitUntilFresh(call.cluster, call.replica, readRevision(resourceVersion), call.request.signal);
}

function tooLarge(revision: number, current: number): StatusError {
  const message = `Timeout: Too large resource version: ${revision}, current: ${current}`;
  return new StatusError(504, 'Timeout', message, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
