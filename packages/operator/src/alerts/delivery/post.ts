/**
 * One POST to a receiver.
 *
 * In: the URL, and a function that makes the body once the URL is accepted. Out: nothing if the receiver answers with
 * any 2xx; otherwise a `DeliveryError` that says whether a retry makes sense. Redirects are not followed: they would
 * bypass the guard and give the body to another host. Every request has a connection of its own, which is closed at the
 * end.
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { Clock } from '@reloader/runtime';
import type { Hidden } from '../../reloader/model/hidden.ts';
import type { Body } from '../message.ts';
import { codeOf, DeliveryError } from './error.ts';
import { type GuardSettings, guardedLookup, refuseByUrl, type Target } from './guard.ts';
import { openTunnel, proxiedRequest } from './proxy.ts';
import { retryAfterMs } from './retry-after.ts';

export type Post = (target: Target, makeBody: () => Promise<Body>, signal: AbortSignal) => Promise<void>;

export interface PostOptions extends GuardSettings {
  readonly clock: Clock;
  readonly proxy: Hidden | 'unusable' | undefined;
  readonly timeoutMs?: number;
  /** Replaces the system's resolver. */
  readonly resolve?: Parameters<typeof guardedLookup>[2];
  /** Replaces the certificate authorities that Node trusts. */
  readonly ca?: string;
}

const TIMEOUT_MS = 10_000;
/** The most that is read of an answer, whose body is ignored. */
const MOST_ANSWER_BYTES = 65_536;

export function createPost(options: PostOptions): Post {
  const { clock, proxy, timeoutMs = TIMEOUT_MS, ca } = options;
  return async (target, makeBody, signal) => {
    if (proxy === 'unusable') {
      throw new DeliveryError('ALERT_WEBHOOK_PROXY is no usable proxy, and nothing is sent around it', {
        retry: false,
      });
    }
    refuseByUrl(target, options);
    const { url } = target;
    const body = await makeBody();
    const lookup = guardedLookup(target, options, options.resolve);
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const timer = clock.setTimeout(end, timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    try {
      if (signal.aborted) end();
      const request = await open(url, body, { lookup, proxy, ca, signal: ending.signal });
      const { status, headers } = await answerOf(request, body);
      judge(status, headers['retry-after'], clock);
    } catch (error) {
      if (error instanceof DeliveryError) throw error;
      if (signal.aborted) throw new DeliveryError('the operator stops', { retry: false });
      if (ending.signal.aborted)
        throw new DeliveryError(`the receiver did not answer within ${timeoutMs / 1000} s`, { retry: true });
      throw new DeliveryError(`the receiver cannot be reached (${codeOf(error)})`, { retry: true });
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', end);
      ending.abort();
    }
  };
}

interface Way {
  readonly lookup: ReturnType<typeof guardedLookup>;
  readonly proxy: Hidden | undefined;
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
}

async function open(url: URL, body: Body, { lookup, proxy, ca, signal }: Way): Promise<ClientRequest> {
  const headers = {
    'content-type': body.contentType,
    'content-length': Buffer.byteLength(body.text),
    'user-agent': 'reloader-operator',
    connection: 'close',
  };
  const options = { method: 'POST', headers, signal } as const;
  if (!proxy) {
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return request(url, { ...options, agent: false, ...(lookup && { lookup }), ...(ca && { ca }) });
  }
  const by = new URL(proxy.reveal());
  if (url.protocol === 'http:') return proxiedRequest(by, url, { ...options, agent: false });
  const socket = await openTunnel(by, url, signal);
  // Without an agent, which would open another connection.
  return httpsRequest(url, { ...options, createConnection: () => secured(socket, url, ca) });
}

function secured(socket: Socket, { hostname }: URL, ca: string | undefined): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  // SNI takes no IP address; the address is still compared with the certificate.
  const name = isIP(host) === 0 ? { servername: host } : { host };
  return tlsConnect({ socket, ...name, ALPNProtocols: ['http/1.1'], ...(ca && { ca }) });
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
}

function answerOf(request: ClientRequest, { text }: Body): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      const answer = { status: response.statusCode ?? 0, headers: response.headers };
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_ANSWER_BYTES) response.destroy();
      });
      // An error after the headers is ignored: only the status counts.
      response.on('error', () => undefined);
      response.on('close', () => resolve(answer));
    });
    request.end(text);
  });
}

function judge(status: number, retryAfter: string | undefined, clock: Clock): void {
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400)
    throw new DeliveryError(`the receiver answered ${status}, and redirects are not followed`, {
      retry: false,
    });
  const retry = status === 408 || status === 429 || status >= 500;
  throw new DeliveryError(`the receiver answered ${status}`, {
    retry,
    retryAfterMs: retry ? retryAfterMs(retryAfter, clock.now()) : undefined,
  });
}
