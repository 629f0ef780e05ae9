/** A namespace on a real API server, and a controller that watches only it. Time is real. */
import { type Client, createClient, kinds, loadConfig, systemClock } from '@reloader/runtime';
import type { RecordedWrite } from '@reloader/runtime/testing';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { RunningController } from './running-controller.ts';
import type { Ground } from './stage.ts';

const SETTLE_MS = 1_500;
const LONGEST_MS = 30_000;

export async function openRealGround(
  cluster: ControlPlane,
  namespace: string,
): Promise<Ground & { close(): Promise<void> }> {
  const config = await loadConfig({ kubeconfig: cluster.kubeconfig });
  const connect = (): Client => createClient({ config });
  const client = connect();
  await client.create(kinds.Namespace, { metadata: { name: namespace } });
  const before: RecordedWrite[] = [];
  let running: RunningController | undefined;
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const stop = async (): Promise<void> => {
    if (!running) return;
    before.push(...running.takeWrites());
    await running.stop();
    running = undefined;
  };
  return {
    client,
    namespace,
    start: () => {
      running = new RunningController({ connect, clock: systemClock, namespace });
    },
    stop,
    settle: () => wait(SETTLE_MS),
    async until(check) {
      for (const end = systemClock.monotonic() + LONGEST_MS; ; await wait(50)) {
        const complaint = await check().then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        if (!complaint) return;
        if (systemClock.monotonic() > end) throw complaint.error;
      }
    },
    takeWrites: () => [...before.splice(0), ...(running?.takeWrites() ?? [])],
    async close() {
      await stop();
      await client.close();
    },
  };
}
