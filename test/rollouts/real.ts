/** The reference: kube-controller-manager and kube-scheduler, with KWOK in place of kubelets. */
import {
  type Client,
  ConflictError,
  createClient,
  type KubernetesObject,
  kinds,
  loadConfig,
  NotFoundError,
  type ResourceType,
} from '@reloader/runtime';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { poll } from '../control-plane/poll.ts';
import { node } from '../control-plane/stages.ts';
import type { Step, Workload, WorkloadKind } from './plan.ts';
import type { ClusterObject, Snapshot } from './state.ts';
import { manifestOf, NAMESPACE, NODES, type Subject } from './subject.ts';

const TYPES: Readonly<Record<WorkloadKind, ResourceType>> = {
  Deployment: kinds.Deployment,
  StatefulSet: kinds.StatefulSet,
  DaemonSet: kinds.DaemonSet,
};
const REVISIONS: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
};

export class Real implements Subject {
  readonly #client: Client;
  nudges = 0;

  static async prepare(cluster: ControlPlane): Promise<Real> {
    const config = await loadConfig({ kubeconfig: cluster.kubeconfig });
    const client = createClient({ config });
    await client.create(kinds.Namespace, { metadata: { name: NAMESPACE } });
    for (let number = 2; number <= NODES; number++) {
      const name = `${node.metadata.name}-${number}`;
      const labels = { ...node.metadata.labels, 'kubernetes.io/hostname': name };
      await client.create(kinds.Node, { ...node, metadata: { ...node.metadata, name, labels } });
    }
    await poll(
      async () => {
        const { items } = await client.list(kinds.Node);
        // The taint is removed after the node is ready and its controller has seen that.
        return items.length === NODES && items.every(({ spec }) => spec?.taints === undefined);
      },
      { what: `${NODES} nodes without taints`, timeout: 30_000 },
    );
    return new Real(client);
  }

  private constructor(client: Client) {
    this.#client = client;
  }

  async apply(workload: Workload, step: Step): Promise<void> {
    if (step.deletedOrdinal !== undefined) return this.#deletePod(`${workload.name}-${step.deletedOrdinal}`);
    const type = TYPES[workload.kind];
    const manifest = manifestOf(workload, step);
    if (workload.steps[0] === step) await this.#client.create<KubernetesObject>(type, manifest);
    else await this.#change(type, manifest);
  }

  async snapshot(): Promise<Snapshot> {
    const list = async (type: ResourceType): Promise<ClusterObject[]> => {
      const { items } = await this.#client.list(type, { namespace: NAMESPACE });
      return items as unknown as ClusterObject[];
    };
    const [workloads, replicaSets, revisions, pods] = await Promise.all([
      Promise.all(Object.values(TYPES).map(list)),
      list(kinds.ReplicaSet),
      list(REVISIONS),
      list(kinds.Pod),
    ]);
    return { workloads: workloads.flat(), replicaSets, revisions, pods };
  }

  /** Makes its controller reconcile it again, without a change that matters to the controller. */
  async nudge({ kind, name }: Workload): Promise<void> {
    this.nudges += 1;
    const body = { metadata: { labels: { nudged: String(this.nudges) } } };
    await this.#client.patch(TYPES[kind], { namespace: NAMESPACE, name }, { type: 'merge', body });
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #deletePod(name: string): Promise<void> {
    await this.#client.delete(kinds.Pod, { namespace: NAMESPACE, name }).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
    });
  }

  /** Retries conflicts: controllers write to the same object all the time. */
  async #change(type: ResourceType, manifest: ReturnType<typeof manifestOf>): Promise<void> {
    for (;;) {
      const live = await this.#client.get(type, manifest.metadata);
      try {
        await this.#client.update(type, { ...live, spec: manifest.spec } as KubernetesObject);
        return;
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
      }
    }
  }
}
