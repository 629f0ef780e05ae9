/**
 * Admits connections to a server a few at a time, and their bytes in portions, so that a flood blocks nothing else.
 *
 * In: the connections of one server, in order of arrival. Out: at most four per turn of the event loop, passed to the
 * server's own listeners. Guarantees: a connection that closed in the meantime is not admitted; bytes that arrived in
 * the meantime are not lost; an error on a waiting connection does not end the process. A `ConnectionGuard` limits
 * how many may wait.
 *
 * Node accepts all pending connections in one turn, reads from all of them in the next, and closes those that were
 * refused in a third. Each costs little; hundreds at once, which a single peer can send, block the process for 100
 * ms.
 */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { type TLSSocket, Server as TlsServer } from 'node:tls';
import { PortionedSocket } from './portioned-socket.ts';

/** A TLS handshake takes up to three milliseconds, a request a fraction of one. */
const MOST_PER_TURN = 4;

type Listener = (this: EventEmitter, socket: Socket | PortionedSocket) => void;

/** Calls `admit` for each new connection at once; it may close that connection or another. */
export function keepDoor(
  server: EventEmitter,
  admit: (socket: Socket) => void,
  later: (run: () => void) => void = (run) => void setImmediate(run),
): void {
  const isTls = server instanceof TlsServer;
  const enter = insteadOf(server, 'connection', (socket: Socket) => {
    socket.on('error', () => undefined);
    admit(socket);
    if (waiting.push(socket) === 1) later(open);
  });
  // Do not read from waiting connections. HTTP servers do not accept this as an option. TLS starts with the bytes
  // already read.
  if (!isTls) Object.assign(server, { pauseOnConnect: true });
  const waiting: Socket[] = [];
  const open = (): void => {
    for (let entered = 0; entered < MOST_PER_TURN; ) {
      const socket = waiting.shift();
      if (!socket) return;
      if (socket.destroyed) continue;
      entered += 1;
      // TLS itself reads the handshake; the bytes after it are read below.
      enter(isTls ? socket : new PortionedSocket(socket));
    }
    if (waiting.length > 0) later(open);
  };
  if (!isTls) return;
  const begin = insteadOf(server, 'secureConnection', (socket: TLSSocket) => {
    begin(socket.alpnProtocol === 'h2' ? socket : new PortionedSocket(socket));
  });
}

/** The admitted connection that a request arrived on. */
export function knownAs(socket: Socket | PortionedSocket): Socket {
  return socket instanceof PortionedSocket ? socket.raw : socket;
}

/** Replaces the server's own listeners; returns a function that calls them. */
function insteadOf<S extends Socket>(
  server: EventEmitter,
  event: string,
  listener: (socket: S) => void,
): (socket: Socket | PortionedSocket) => void {
  const own = server.listeners(event) as Listener[];
  server.removeAllListeners(event);
  server.on(event, listener);
  return (socket) => {
    for (const each of own) each.call(server, socket);
  };
}
