/**
 * Requests to the operator, with a credential: the key that `reloader ui` put into the address, or a token that a user
 * pasted. Both stay in memory.
 */

export class ApiFailure extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const BASE = '../api/v1/';
const credentials: { key?: string; token?: string } = {};

export function rememberKey(key: string): void {
  credentials.key = key;
}

/** `namespace`: the only namespace that the token may read; empty for all. */
export function rememberToken(token: string, namespace: string): void {
  credentials.token = token;
  scope = namespace;
}

let scope = '';
const LISTS = /^(me|overview|workloads|sources|timeline|stream)(?=\?|$)/;

/** Adds the readable namespace to the requests for lists and for `me`. */
function scoped(path: string): string {
  if (scope === '') return path;
  return path.replace(LISTS, `$1?namespace=${encodeURIComponent(scope)}&`).replace('&?', '&');
}

function headers(): Record<string, string> {
  return {
    ...(credentials.key !== undefined && { 'x-reloader-key': credentials.key }),
    ...(credentials.token !== undefined && { authorization: `Bearer ${credentials.token}` }),
  };
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await send(path, { headers: headers(), ...(signal && { signal }) });
  return (await response.json()) as T;
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await send(path, {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

export function openStream(from: string, signal: AbortSignal): Promise<Response> {
  return send('stream', { headers: { ...headers(), 'last-event-id': from }, signal });
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const asked = { cache: 'no-store', credentials: 'omit', ...init } as const;
  const response = await fetch(BASE + scoped(path), asked).catch((error: unknown) => {
    // The browser only says “Failed to fetch”.
    throw init.signal?.aborted ? error : new Error('The operator cannot be reached');
  });
  if (response.ok) return response;
  throw new ApiFailure(response.status, await reasonOf(response));
}

/** The server's error message, as text. */
async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return (JSON.parse(text) as { error: string }).error;
  } catch {
    return text.trim() || `The server answered ${response.status}`;
  }
}
