/**
 * Disconnects a client that sends a request before the last one on that connection is answered. No known client does,
 * and requests held for such a client would pile up. For HTTP/1: HTTP/2 has streams, and a limit for them.
 */
export class OneAtATime {
  readonly #busy = new WeakSet<object>();

  /** False if an answer is already pending; then the connection was closed. */
  begin({ socket }: { readonly socket: Closing }, response: Ending): boolean {
    if (this.#busy.has(socket)) {
      socket.destroy();
      return false;
    }
    this.#busy.add(socket);
    const answered = (): void => void this.#busy.delete(socket);
    // The client may send its next request before we are told that the answer was sent.
    response.once('prefinish', answered);
    response.once('close', answered);
    return true;
  }
}

interface Closing {
  destroy(): unknown;
}

interface Ending {
  once(event: 'prefinish' | 'close', call: () => void): unknown;
}
