/** HTTPS requests to a server with known address, authority and administrator's token. */
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly code: number;
  /** Empty if the answer was no object. */
  readonly body: Record<string, unknown>;
  readonly warnings: readonly string[];
}

/** One request to a server, as its administrator. */
export type Exchange = (
  method: string,
  path: string,
  body?: unknown,
  contentType?: string,
) => Promise<Answer>;

export interface Connection {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export function connect({ url, ca, token }: Connection): Exchange {
  const agent = new Agent({ keepAlive: true, ca, maxSockets: 1 });
  return (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': contentType }),
      };
      const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
        text(response).then(
          (content) =>
            resolve({
              code: response.statusCode ?? 0,
              body: parseObject(content),
              warnings: warningTexts(response.headers.warning),
            }),
          reject,
        );
      });
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

export function parseObject(content: string): Record<string, unknown> {
  return content.startsWith('{') ? (JSON.parse(content) as Record<string, unknown>) : {};
}

/** The texts of a `Warning` header. */
export function warningTexts(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(
    ([, quoted]) => JSON.parse(quoted as string) as string,
  );
}
