/**
 * An API server that is far away: every chunk of an answer comes later by the same time, in order. What is sent to the
 * server is not held up, as with a client that waits for answers.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SlowLink {
  readonly port: number;
  close(): Promise<void>;
}

export async function slowLink(server: URL, answerMs: number): Promise<SlowLink> {
  const sockets = new Set<Socket>();
  const listener = createServer((near) => {
    const far = connect(Number(server.port), server.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
    near.pipe(far);
    far.on('data', (chunk) => setTimeout(() => near.write(chunk), answerMs));
    far.on('end', () => setTimeout(() => near.end(), answerMs));
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
