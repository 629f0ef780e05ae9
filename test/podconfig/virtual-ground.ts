/** A separate minicluster on a virtual clock. */
import { startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, kinds } from '@reloader/runtime';
import { type RecordedWrite, VirtualClock } from '@reloader/runtime/testing';
import { applyCrds } from '../../packages/operator/src/crds/apply.ts';
import { podConfigMapConfigCrd } from '../../packages/operator/src/crds/pod-config-map-config.ts';
import { RunningController } from './running-controller.ts';
import type { Ground } from './stage.ts';

const SETTLE_MS = 3_000;
const LONGEST_MS = 30_000;

export async function openVirtualGround(namespace: string): Promise<Ground & { close(): Promise<void> }> {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  const connect = (): Client => createClient({ transport: cluster.transport(), clock });
  const client = connect();
  await ended(clock, applyCrds(client, { clock, definitions: [podConfigMapConfigCrd] }));
  await client.create(kinds.Namespace, { metadata: { name: namespace } });
  const before: RecordedWrite[] = [];
  let running: RunningController | undefined;
  const stop = async (): Promise<void> => {
    if (!running) return;
    before.push(...running.takeWrites());
    await ended(clock, running.stop());
    running = undefined;
  };
  return {
    client,
    namespace,
    start: () => {
      running = new RunningController({ connect, clock });
    },
    stop,
    settle: () => clock.advance(SETTLE_MS),
    async until(check) {
      for (let waited = 0; ; waited += 100) {
        const complaint = await check().then(
          () => undefined,
          (error: unknown) => ({ error }),
        );
        if (!complaint) return;
        if (waited >= LONGEST_MS) throw complaint.error;
        await clock.advance(100);
      }
    },
    takeWrites: () => [...before.splice(0), ...(running?.takeWrites() ?? [])],
    async close() {
      await stop();
      await ended(clock, cluster.stop());
    },
  };
}

/** Advances the clock until the promise has settled. */
async function ended<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let done = false;
  const end = promise.finally(() => {
    done = true;
  });
  end.catch(() => undefined);
  while (!done) await clock.advance(100);
  return end;
}
