/** A cluster and a small client for tests: requests in, JSON out, time under the test's control. */
import { VirtualClock } from '@reloader/runtime/testing';
import { type Minicluster, type MiniclusterOptions, startMinicluster } from '../minicluster.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON, or as text if it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape, and fail where they differ.
  readonly body: any;
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
}

export interface WatchEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly object: any;
}

export interface OpenWatch {
  readonly status: number;
  /** Everything received so far. */
  readonly events: WatchEvent[];
  /** True once the server has ended it. */
  ended: boolean;
  close(): Promise<void>;
}

export interface TestCluster {
  readonly clock: VirtualClock;
  readonly cluster: Minicluster;
  send(method: string, path: string, body?: unknown, options?: SendOptions): Promise<Answer>;
  /** Opens a watch and waits for the initial events. */
  watch(path: string, options?: SendOptions): Promise<OpenWatch>;
}

const JSON_TYPE = 'application/json';

export async function testCluster(options: MiniclusterOptions = {}): Promise<TestCluster> {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: false, ...options });
  return { clock, cluster, send, watch };

  async function open(method: string, path: string, body: unknown, { headers = {}, token }: SendOptions) {
    const transport = cluster.transport(token === undefined ? {} : { token });
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const content = raw ? body : JSON.stringify(body);
    const type = content === undefined ? {} : { 'content-type': JSON_TYPE };
    const request = { method, path, headers: { 'user-agent': 'test/1', ...type, ...headers } };
    return transport.request(content === undefined ? request : { ...request, body: content as string });
  }

  async function send(
    method: string,
    path: string,
    body?: unknown,
    options: SendOptions = {},
  ): Promise<Answer> {
    const response = await open(method, path, body, options);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    return { status: response.status, headers: response.headers, body: parsed(text) };
  }

  async function watch(path: string, options: SendOptions = {}): Promise<OpenWatch> {
    const response = await open('GET', path, undefined, options);
    const iterator = response.body[Symbol.asyncIterator]();
    const result: OpenWatch = {
      status: response.status,
      events: [],
      ended: false,
      close: async () => void (await iterator.return?.()),
    };
    void (async () => {
      for (;;) {
        const next = await iterator.next();
        if (next.done) break;
        for (const line of Buffer.from(next.value).toString().split('\n')) {
          if (line) result.events.push(JSON.parse(line) as WatchEvent);
        }
      }
      result.ended = true;
    })();
    await clock.settle();
    return result;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const MERGE_PATCH = { headers: { 'content-type': 'application/merge-patch+json' } };
export const JSON_PATCH = { headers: { 'content-type': 'application/json-patch+json' } };
export const STRATEGIC_PATCH = { headers: { 'content-type': 'application/strategic-merge-patch+json' } };
export const APPLY_PATCH = { headers: { 'content-type': 'application/apply-patch+yaml' } };

/** `ADDED a`, `DELETED b`, …: the events of a watch. */
export const summary = (events: readonly WatchEvent[]): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.message ?? ''}`.trim());
