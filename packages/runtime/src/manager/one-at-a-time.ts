/**
 * Cuts off whoever sends a request before the last one on that connection is answered. Nobody we know does, and what is
 * held for such requests would pile up. For HTTP/1: HTTP/2 has streams, and a limit for them.
 */
export class OneAtATime {
  readonly #busy = new WeakSet<object>();

  /** False, and the connection closed, where an answer is due already. */
  begin({ socket }: { readonly socket: Closing }, response: Ending): boolean {
    if (this.#busy.has(socket)) {
      socket.destroy();
      return false;
    }
    this.#busy.add(socket);
    response.once('close', () => this.#busy.delete(socket));
    return true;
  }
}

interface Closing {
  destroy(): unknown;
}

interface Ending {
  once(event: 'close', call: () => void): unknown;
}
