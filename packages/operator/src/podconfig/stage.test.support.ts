/** A minicluster on a virtual clock with the controller on it. */
import { startMinicluster } from '@reloader/minicluster';
import {
  type Client,
  createClient,
  createEventRecorder,
  createRegistry,
  ForbiddenError,
  kinds,
  Manager,
  type Stored,
} from '@reloader/runtime';
import { recordWrites, VirtualClock } from '@reloader/runtime/testing';
import { applyCrds } from '../crds/apply.ts';
import { podConfigMapConfigCrd } from '../crds/pod-config-map-config.ts';
import { inlineRenderer } from '../template/renderer.ts';
import { createPodConfig } from './controller.ts';
import { GENERATED_BY, type PodConfigMapConfig, PodConfigMapConfigs } from './model.ts';

export const NAMESPACE = 'default';

export interface StartOptions {
  /** Only these namespaces; all unless given. */
  readonly namespaces?: readonly string[];
  /** Paths that the controller may not read. */
  readonly forbidden?: (path: string) => boolean;
  /** Verbs that the controller may not use on generated ConfigMaps. */
  readonly forbiddenWrites?: () => readonly string[];
}

export async function openStage() {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  const connect = (): Client => createClient({ transport: cluster.transport(), clock });
  const client = connect();
  await settled(clock, applyCrds(client, { clock, definitions: [podConfigMapConfigCrd] }));
  const metrics = createRegistry();

  const start = ({ namespaces, forbidden = () => false, forbiddenWrites = () => [] }: StartOptions = {}) => {
    const restricted = createClient({
      transport: cluster.transport(),
      clock,
      interceptors: [
        (request, next) => {
          if (forbidden(request.path)) throw new ForbiddenError({ code: 403, reason: 'Forbidden' });
          return next(request);
        },
      ],
    });
    const writer = createClient({
      transport: cluster.transport(),
      clock,
      interceptors: [
        (request, next) => {
          if (request.path.includes('/configmaps') && forbiddenWrites().includes(request.verb))
            throw new ForbiddenError({ code: 403, reason: 'Forbidden', message: 'not allowed' });
          return next(request);
        },
      ],
    });
    const recording = recordWrites(writer);
    const events = createEventRecorder({ client: connect(), component: 'podconfig', clock });
    const podConfig = createPodConfig({
      client: restricted,
      writer: recording.client,
      events,
      ...(namespaces && { namespaces }),
      clock,
      metrics,
      templates: inlineRenderer,
    });
    const manager = new Manager({ clock });
    manager.add(events, ...podConfig.runnables);
    const stop = new AbortController();
    const running = manager.run(stop.signal);
    return {
      recording,
      async stop() {
        stop.abort();
        await settled(clock, running);
      },
    };
  };

  return {
    clock,
    cluster,
    client,
    metrics,
    start,
    /** Runs everything that is due within two seconds. */
    rest: () => clock.advance(2_000),
    async pod(name: string, labels: Record<string, string> = {}, annotations: Record<string, string> = {}) {
      const spec = { containers: [{ name: 'app', image: 'nginx:1' }] };
      return client.create(kinds.Pod, {
        metadata: { namespace: NAMESPACE, name, labels, annotations },
        spec,
      });
    },
    config: (name: string, spec: PodConfigMapConfig['spec'] = {}) =>
      client.create(PodConfigMapConfigs, { metadata: { namespace: NAMESPACE, name }, spec }),
    status: async (name: string) =>
      (await client.get(PodConfigMapConfigs, { namespace: NAMESPACE, name })).status ?? {},
    async generated(): Promise<Stored<kinds.ConfigMapObject>[]> {
      const { items } = await client.list(kinds.ConfigMap, {
        namespace: NAMESPACE,
        labelSelector: GENERATED_BY,
      });
      return items;
    },
    async names(): Promise<string[]> {
      return (await this.generated()).map(({ metadata }) => metadata.name);
    },
    async close() {
      await settled(clock, cluster.stop());
    },
  };
}

/** Advances the clock until the promise has settled. */
export async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let done = false;
  const end = promise.finally(() => {
    done = true;
  });
  end.catch(() => undefined);
  while (!done) await clock.advance(100);
  return end;
}
