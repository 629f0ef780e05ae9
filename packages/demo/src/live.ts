/** The live table: queries the operator twice a second and draws the answer. Runs until the signal aborts. */

import type { HistoryAnswer, WorkloadsAnswer } from '@reloader/operator/api';
import { createStyle } from '@reloader/operator/embed';
import { type Client, type Clock, createInformer, kinds, sleep } from '@reloader/runtime';
import { type PodCounts, picture, type Scene } from './picture.ts';
import type { Screen } from './screen.ts';

export interface LiveOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly screen: Screen;
  /** The port of the operator. */
  readonly port: number;
  readonly colours: boolean;
  /** Shown beside the workloads. */
  readonly tour: () => Pick<Scene, 'steps' | 'begun' | 'next'>;
}

const EVERY_MS = 500;

interface Counts {
  readonly spec?: { readonly replicas?: number };
  readonly status?: Readonly<Record<string, number | undefined>>;
}

export async function showLive(options: LiveOptions, signal: AbortSignal): Promise<void> {
  const { clock, screen, port, tour } = options;
  const style = createStyle(options.colours);
  const pods = new Map<string, PodCounts>();
  const followed = followPods(options.client, pods, signal);
  try {
    while (!signal.aborted) {
      const [workloads, history] = await Promise.all([
        ask<WorkloadsAnswer>(port, 'workloads'),
        ask<HistoryAnswer>(port, 'history'),
      ]);
      const scene = {
        workloads: workloads?.items ?? [],
        pods,
        reloads: history?.reloads ?? [],
        ...tour(),
        now: clock.now(),
      };
      screen.draw(picture(scene, screen.size, style));
      await sleep(clock, EVERY_MS, signal).catch(() => undefined);
    }
  } finally {
    screen.end();
    await followed;
  }
}

/** Undefined while the operator is not up. */
async function ask<T>(port: number, what: string): Promise<T | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${what}`);
    return response.ok ? ((await response.json()) as T) : undefined;
  } catch {
    return undefined;
  }
}

function followPods(client: Client, pods: Map<string, PodCounts>, signal: AbortSignal): Promise<unknown> {
  const informers = (['Deployment', 'StatefulSet', 'DaemonSet'] as const).map((kind) => {
    const informer = createInformer({ client, type: kinds[kind] });
    informer.addHandler(({ type, object }) => {
      const key = `${kind}/${object.metadata.namespace}/${object.metadata.name}`;
      const { spec, status = {} } = object as unknown as Counts;
      const counts = {
        wanted: status.desiredNumberScheduled ?? spec?.replicas ?? 0,
        updated: status.updatedReplicas ?? status.updatedNumberScheduled ?? 0,
        available: status.availableReplicas ?? status.numberAvailable ?? 0,
      };
      if (type === 'delete') pods.delete(key);
      else pods.set(key, counts);
    });
    return informer.run(signal);
  });
  return Promise.allSettled(informers);
}
