/** Continue tokens: the revision of a list and its next key, in the server's own format. */

import { badRequest } from '../model/status.ts';
import { jsonSyntaxProblem } from '../schema/go-json.ts';

export interface Continuation {
  /** -1: the newest revision, for lists that gave up consistency. */
  readonly revision: number;
  /** The first key of the next page, or a text just before it. */
  readonly start: string;
}

const VERSION = 'meta.k8s.io/v1';

export function encodeContinue({ revision, start }: Continuation): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start })).toString('base64url');
}

/** Throws 400. */
export function decodeContinue(token: string): Continuation {
  const wrong = token.search(/[^A-Za-z0-9_-]/);
  if (wrong >= 0) throw badToken(`continue key is not valid: illegal base64 data at input byte ${wrong}`);
  const bytes = Buffer.from(token, 'base64url');
  const text = bytes.toString('utf8');
  let value: { v?: unknown; rv?: unknown; start?: unknown } | null;
  try {
    value = JSON.parse(text) as typeof value;
  } catch {
    // The server counts bytes, not characters.
    throw badToken(`continue key is not valid: ${jsonSyntaxProblem(bytes.toString('latin1'))}`);
  }
  const { v, rv, start } = value ?? {};
  if (v !== VERSION) {
    throw badToken(`continue key is not valid: server does not recognize this encoded version ${v ?? ''}`);
  }
  if (typeof rv !== 'number' || rv === 0) {
    throw badToken(
      'continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    );
  }
  if (typeof start !== 'string' || start === '') {
    throw badToken('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  }
  return { revision: rv, start };
}

const badToken = (why: string) => badRequest(`invalid continue token: ${why}`);
