/** Actions of the page over HTTP: POST requests with a small JSON body, and a rate limit. */
import type { IncomingMessage } from 'node:http';
import type { Acted } from '../api/actions.ts';

const LARGEST_BODY = 4 * 1024;
/** Enough for a person who clicks; programs have the API of Kubernetes. */
const MOST_IN_A_MINUTE = 30;
const MINUTE_MS = 60_000;

/** The common part of HTTP/1 and HTTP/2 requests. */
export type ActionMessage = Pick<IncomingMessage, 'method' | 'headers'> & AsyncIterable<unknown>;

/** The name of the action below `/api/v1/`; undefined if the path is not an action. */
export function actionIn(path: string): string | undefined {
  return /^actions\/([a-z]+)$/.exec(path)?.[1];
}

/** Returns true at most `MOST_IN_A_MINUTE` times within a minute. */
export function actionRate(): () => boolean {
  const times: number[] = [];
  return () => {
    const now = performance.now();
    while (times[0] !== undefined && times[0] < now - MINUTE_MS) times.shift();
    if (times.length >= MOST_IN_A_MINUTE) return false;
    times.push(now);
    return true;
  };
}

export async function answerAction(
  message: ActionMessage,
  mayAct: () => boolean,
  act: (body: unknown) => Promise<Acted>,
): Promise<Acted> {
  const { method, headers } = message;
  if (method !== 'POST') return { ...refused(405, 'Actions are sent with POST'), allow: 'POST' };
  if (headers['content-type'] !== 'application/json')
    return refused(415, 'Actions are sent as application/json');
  if (!mayAct()) return refused(429, 'Too many actions: wait a minute');
  const body = await bodyOf(message);
  if (body === undefined) return refused(400, 'The body is no JSON of at most 4 KB');
  return act(body);
}

/** Undefined if it is too long or not JSON. */
async function bodyOf(message: ActionMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message) {
    const bytes = Buffer.from(chunk as Uint8Array);
    length += bytes.length;
    if (length > LARGEST_BODY) return undefined;
    chunks.push(bytes);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

const refused = (status: number, error: string): Acted => ({ status, body: { error } });
