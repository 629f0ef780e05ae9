/** One POST with the body that Stakater Reloader sends. The URL may contain a token, so no message repeats it. */
import { TerminalError } from '@reloader/runtime';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export const WEBHOOK_BODY = '{"webhook":"update successful"}';

/** Rejects if a retry makes sense; with a `TerminalError` if not. */
export async function post(fetch: Fetch, url: string, signal: AbortSignal): Promise<void> {
  const { host } = new URL(url);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: WEBHOOK_BODY,
    signal,
  }).catch((error: unknown) => {
    throw new Error(`The webhook at ${host} cannot be reached`, { cause: error });
  });
  await response.body?.cancel();
  if (response.ok) return;
  const message = `The webhook at ${host} answered ${response.status}`;
  if (response.status >= 500 || response.status === 408 || response.status === 429) throw new Error(message);
  throw new TerminalError(`${message}: check --webhook-url`);
}
