/**
 * Lets connections into a server a few at a time, and what they send in portions, so that a crowd holds up nothing else.
 *
 * In: the connections of one server, in the order of their coming. Out: at most four of them for each turn of the event
 * loop, handed to the server's own listeners. Guarantees: who has gone meanwhile is not let in; what was sent meanwhile is
 * not lost; nothing that happens to a connection at the door ends the process. How many may wait is the matter of a
 * `ConnectionGuard`.
 *
 * Node accepts whoever knocks in one turn, reads what all of them sent in the next, and takes leave of those that it cut
 * off in a third. Each costs little; hundreds at once, which a single peer can send, cost everybody else 100 ms.
 */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { type TLSSocket, Server as TlsServer } from 'node:tls';
import { PortionedSocket } from './portioned-socket.ts';

/** A handshake takes up to three milliseconds, a request a fraction of one. */
const MOST_PER_TURN = 4;

type Listener = (this: EventEmitter, socket: Socket | PortionedSocket) => void;

/** Asks `admit` about each new connection at once; it may close it, or another one. */
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
  // Nothing is read from who waits. Servers for HTTP do not take this as an option. TLS begins with what was read already.
  if (!isTls) Object.assign(server, { pauseOnConnect: true });
  const waiting: Socket[] = [];
  const open = (): void => {
    for (let entered = 0; entered < MOST_PER_TURN; ) {
      const socket = waiting.shift();
      if (!socket) return;
      if (socket.destroyed) continue;
      entered += 1;
      // A handshake is read by TLS itself; what comes behind it, below.
      enter(isTls ? socket : new PortionedSocket(socket));
    }
    if (waiting.length > 0) later(open);
  };
  if (!isTls) return;
  const begin = insteadOf(server, 'secureConnection', (socket: TLSSocket) => {
    begin(socket.alpnProtocol === 'h2' ? socket : new PortionedSocket(socket));
  });
}

/** The connection that was asked about, of one that a request came by. */
export function knownAs(socket: Socket | PortionedSocket): Socket {
  return socket instanceof PortionedSocket ? socket.raw : socket;
}

/** Takes the place of the server's own listeners; returns how to call those. */
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
