/** Opens TCP connections, and waits for sockets to be connected. */
import { connect, type Socket } from 'node:net';
import { cannotConnect } from './connection-errors.ts';
import type { Endpoint } from './endpoint.ts';

/** Detects vanished peers on connections without a PING. */
const TCP_KEEPALIVE_MS = 15_000;

export async function dialTcp(
  endpoint: Endpoint,
  to: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect({
    host: to.host,
    port: to.port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEPALIVE_MS,
  });
  await connected(socket, 'connect', endpoint, signal);
  return socket;
}

/** Rejects with an error that says what to do, and destroys the socket. */
export function connected(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (action: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      socket.off(event, onConnect).off('error', onError).off('close', onClose);
      action();
    };
    const fail = (error: unknown): void =>
      settle(() => {
        // Errors during teardown need no handling.
        socket.on('error', () => {});
        socket.destroy();
        reject(error);
      });
    const onConnect = (): void => settle(resolve);
    const onError = (error: Error): void => fail(cannotConnect(endpoint, error));
    const onClose = (): void => fail(cannotConnect(endpoint, new Error('the server closed the connection')));
    const onAbort = (): void => fail(signal.reason);
    socket.once(event, onConnect).once('error', onError).once('close', onClose);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
