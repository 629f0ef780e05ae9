/**
 * The operator of the demo as a Service: the API server proxies to it, so the commands find it as in a real cluster.
 * The operator runs in this process; the cluster has no network of its own.
 */
import { createServer } from 'node:net';
import type { Handler, Middleware } from '@reloader/minicluster';

export const OPERATOR_SERVICE = { namespace: 'reloader', name: 'reloader' } as const;
const PROXY = new RegExp(
  `^/api/v1/namespaces/${OPERATOR_SERVICE.namespace}/services/${OPERATOR_SERVICE.name}(?::[^/]+)?/proxy(/.*)$`,
);

export function operatorServiceProxy(port: () => number): Middleware {
  return (next: Handler): Handler =>
    async (request) => {
      const path = PROXY.exec(request.path)?.[1];
      if (path === undefined || request.method !== 'GET') return next(request);
      try {
        const response = await fetch(`http://127.0.0.1:${port()}${path}`);
        const type = response.headers.get('content-type') ?? 'text/plain';
        const body = new Uint8Array(await response.arrayBuffer());
        return { status: response.status, headers: { 'content-type': type }, body };
      } catch {
        return {
          status: 503,
          headers: { 'content-type': 'text/plain' },
          body: Buffer.from('the operator is not up yet\n'),
        };
      }
    };
}

/** A free port: another program may use the default one. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
