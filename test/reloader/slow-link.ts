/**
 * Simulates a distant API server: every chunk of an answer is delayed by the same time, in order. Requests are not
 * delayed, because a client waits for the answer anyway.
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
