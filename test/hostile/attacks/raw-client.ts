/** A client that ignores the protocol: sends the given bytes on any number of connections. Loopback only. */
import { connect, type Socket } from 'node:net';

export class RawClient {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();

  constructor(port: number) {
    this.#port = port;
  }

  /** The number of open connections. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Connects and sends; resolves when the bytes were sent or the other side closed. Reads nothing unless told to. */
  send(bytes: string | Uint8Array, { reads = false } = {}): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(this.#port, '127.0.0.1');
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        resolve();
      });
      if (reads) socket.resume();
      else socket.pause();
      socket.once('connect', () => socket.write(bytes, () => resolve()));
    });
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
