/** Requests through an HTTP proxy: in absolute form for http, through a tunnel for https. */
import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { codeOf, DeliveryError } from './error.ts';

export function proxiedRequest(proxy: URL, target: URL, options: RequestOptions): ClientRequest {
  const path = new URL(target);
  path.username = '';
  path.password = '';
  path.hash = '';
  return requestOf(proxy)({
    ...options,
    ...addressOf(proxy),
    path: path.href,
    headers: {
      ...options.headers,
      host: target.host,
      ...authorization('proxy-authorization', proxy),
      ...authorization('authorization', target),
    },
  });
}

/** A connection to the target, made by the proxy. */
export function openTunnel(proxy: URL, target: URL, signal: AbortSignal): Promise<Socket> {
  const authority = `${target.hostname}:${target.port || 443}`;
  return new Promise((resolve, reject) => {
    const request = requestOf(proxy)({
      ...addressOf(proxy),
      method: 'CONNECT',
      path: authority,
      agent: false,
      headers: { host: authority, ...authorization('proxy-authorization', proxy) },
      signal,
    });
    const refuse = (status: number): void =>
      reject(new DeliveryError(`the proxy answered ${status}`, { retry: status >= 500 || status === 429 }));
    request.once('connect', (response, socket) => {
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) {
        const end = (): void => void socket.destroy();
        signal.addEventListener('abort', end, { once: true });
        socket.once('close', () => signal.removeEventListener('abort', end));
        resolve(socket as Socket);
      } else {
        socket.destroy();
        refuse(statusCode);
      }
    });
    request.once('response', (response) => {
      response.destroy();
      refuse(response.statusCode ?? 0);
    });
    request.on('error', (error) =>
      reject(
        signal.aborted
          ? error
          : new DeliveryError(`the proxy cannot be reached (${codeOf(error)})`, { retry: true }),
      ),
    );
    request.end();
  });
}

function requestOf({ protocol }: URL): typeof httpRequest {
  return protocol === 'https:' ? httpsRequest : httpRequest;
}

function addressOf({ hostname, port, protocol }: URL): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}

function authorization(header: string, { username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { [header]: `Basic ${Buffer.from(credentials).toString('base64')}` };
}
