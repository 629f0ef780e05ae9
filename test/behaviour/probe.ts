/** Plain HTTPS requests to an API server: no client library between the suite and the server's answer. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { RequestStep, Step, UntilStep, WatchStep } from './case.ts';

export interface Target {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export interface Answer {
  readonly status: number;
  readonly warnings?: readonly string[];
  readonly body?: unknown;
}

export interface WatchAnswer {
  readonly status: number;
  readonly events: readonly unknown[];
}

const PATCH_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

const WATCH_LIMIT_MS = 20_000;
const UNTIL_LIMIT_MS = 30_000;

export class Probe {
  readonly #target: Target;
  readonly #namespace: string;

  constructor(target: Target, namespace: string) {
    this.#target = target;
    this.#namespace = namespace;
  }

  async run(step: Step): Promise<Answer | WatchAnswer | undefined> {
    if ('watch' in step) return this.#watch(step);
    if ('until' in step) return this.#until(step);
    return this.send(step);
  }

  async send(step: RequestStep): Promise<Answer> {
    const { response } = await this.#open(step.method, step.path, step);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const warning = response.headers.warning;
    return {
      status: response.statusCode ?? 0,
      ...(warning && { warnings: [warning].flat().flatMap(warningTexts) }),
      ...(step.bodyIgnored ? {} : { body: parsed(text) }),
    };
  }

  async #watch({ watch, accept, steps = [], events: wanted }: WatchStep): Promise<WatchAnswer> {
    const { response, sent } = await this.#open('GET', watch, accept ? { accept } : {});
    const timer = setTimeout(
      () => sent.destroy(new Error(`fewer than ${wanted} events of ${watch}`)),
      WATCH_LIMIT_MS,
    );
    try {
      for (const step of steps) await this.send(step);
      const events: unknown[] = [];
      let pending = '';
      for await (const chunk of response.setEncoding('utf8')) {
        pending += chunk as string;
        const lines = pending.split('\n');
        pending = lines.pop() ?? '';
        for (const line of lines) {
          const event = parsed(line);
          if (!isPlainBookmark(event)) events.push(event);
        }
        if (wanted > 0 && events.length >= wanted) break;
      }
      if (pending !== '' && response.statusCode !== 200) events.push(parsed(pending));
      return { status: response.statusCode ?? 0, events };
    } finally {
      clearTimeout(timer);
      sent.destroy();
    }
  }

  async #until({ until, gone, field, equals }: UntilStep): Promise<undefined> {
    const limit = Date.now() + UNTIL_LIMIT_MS;
    for (;;) {
      const { status, body } = await this.send({ method: 'GET', path: until });
      if (gone ? status === 404 : status === 200 && (field === undefined || same(at(body, field), equals)))
        return;
      if (Date.now() > limit)
        throw new Error(`${until} did not reach ${field ?? 'absence'}: ${JSON.stringify(body)}`);
      await pause(20);
    }
  }

  #open(
    method: string,
    path: string,
    { body, type, accept, headers }: Partial<RequestStep>,
  ): Promise<{ response: IncomingMessage; sent: ClientRequest }> {
    const contentType = PATCH_TYPES[type ?? ''] ?? type ?? 'application/json';
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = request(
        this.#named(`${this.#target.url}${path}`),
        {
          method,
          ca: this.#target.ca,
          headers: {
            authorization: `Bearer ${this.#target.token}`,
            accept: accept ?? 'application/json',
            'user-agent': 'behaviour/1.0',
            // Set explicitly: Node omits the length for a DELETE, and the body would be read as a second request.
            ...(body !== undefined && {
              'content-type': contentType,
              'content-length': String(Buffer.byteLength(this.#named(text))),
            }),
            ...headers,
          },
        },
        (response) => resolve({ response, sent }),
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : this.#named(text));
    });
  }

  #named(text: string): string {
    return text.replaceAll('{ns}', this.#namespace);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `299 - "text"`, several of them joined by commas. */
function warningTexts(header: string): string[] {
  return [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll('\\"', '"'),
  );
}

function isPlainBookmark(event: unknown): boolean {
  const { type, object } = event as { type?: string; object?: { metadata?: { annotations?: object } } };
  return type === 'BOOKMARK' && object?.metadata?.annotations === undefined;
}

function at(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
