/** The subject under test: a minicluster on a virtual clock. */
import { type KindRef, type KubeObject, type LocalApi, startMinicluster } from '@reloader/minicluster';
import { VirtualClock } from '@reloader/runtime/testing';
import { Availability } from './availability.ts';
import type { Step, Workload } from './plan.ts';
import type { ClusterObject, Snapshot } from './state.ts';
import { manifestOf, NAMESPACE, NODES, RESOURCES, type Subject } from './subject.ts';

const PODS: KindRef = { group: '', plural: 'pods' };

export class Simulated implements Subject {
  readonly clock: VirtualClock;
  readonly availability: Availability;
  readonly #api: LocalApi;
  readonly #stop: () => Promise<void>;

  static async start(seed: number): Promise<Simulated> {
    const clock = new VirtualClock();
    const failures: string[] = [];
    const onError = (controller: string, key: string, error: unknown): void => {
      failures.push(`${controller} ${key}: ${String(error)}`);
    };
    const cluster = await startMinicluster({ clock, seed, workloads: { nodes: NODES, onError } });
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
    cluster.api.create({ group: '', plural: 'namespaces' }, namespace);
    await clock.advance(1_000);
    return new Simulated(clock, cluster.api, async () => {
      await cluster.stop();
      if (failures.length > 0) throw new Error(`Simulated controllers failed: ${failures.join('; ')}`);
    });
  }

  private constructor(clock: VirtualClock, api: LocalApi, stop: () => Promise<void>) {
    this.clock = clock;
    this.#api = api;
    this.#stop = stop;
    this.availability = new Availability(api, clock);
  }

  async apply(workload: Workload, step: Step): Promise<void> {
    if (step.deletedOrdinal !== undefined) {
      const pod = { namespace: NAMESPACE, name: `${workload.name}-${step.deletedOrdinal}` };
      if (this.#api.get(PODS, pod)) this.availability.excuse(pod.name, () => this.#api.delete(PODS, pod));
      return;
    }
    const kind = RESOURCES[workload.kind];
    const manifest = manifestOf(workload, step);
    const live = this.#api.get(kind, manifest.metadata);
    if (live) this.#api.update(kind, { ...live, spec: structuredClone(step.spec) } as KubeObject);
    else this.#api.create(kind, structuredClone(manifest));
  }

  /** Longer than the longest rollout, and shorter than the usual progress deadline over all rounds. */
  async settle(): Promise<void> {
    await this.clock.advance(30_000);
  }

  async snapshot(): Promise<Snapshot> {
    const list = (group: string, plural: string): ClusterObject[] =>
      this.#api.list({ group, plural }, NAMESPACE) as unknown as ClusterObject[];
    return {
      workloads: Object.values(RESOURCES).flatMap(({ group, plural }) => list(group, plural)),
      replicaSets: list('apps', 'replicasets'),
      revisions: list('apps', 'controllerrevisions'),
      pods: list('', 'pods'),
    };
  }

  async stop(): Promise<void> {
    await this.#stop();
  }
}
