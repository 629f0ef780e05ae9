/** One POST of the body that Stakater Reloader sends. The URL may hold a token, so no message repeats it. */
import { TerminalError } from '@reloader/runtime';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export const WEBHOOK_BODY = '{"webhook":"update successful"}';

/** Rejects where it is worth another try; with a `TerminalError` where it is not. */
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
