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
    const answered = (): void => void this.#busy.delete(socket);
    // Whoever has the answer may send the next request before we hear that the answer has gone out.
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
