/** The fixture of each failover test: its own namespace, an account with minimal permissions, replicas, a timeline. */
import {
  type Client,
  createClient,
  DEFAULT_TIMINGS,
  type ElectionTimings,
  kinds,
  loadConfig,
  type Stored,
} from '@reloader/runtime';
import type { ControlPlane, ServiceAccount } from '../control-plane/control-plane.ts';
import { poll } from '../control-plane/poll.ts';
import type { PolicyRule } from '../control-plane/service-account.ts';
import { HANDLE_LABEL, type Handled, handledOf, type OperatorSettings } from './contract.ts';
import { type Program, Replica } from './replica.ts';
import { Timeline } from './timeline.ts';

const LEASE = 'operator';
const ACCOUNT = 'operator';

export const LEASE_RULES: readonly PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: [LEASE],
    verbs: ['get', 'update'],
  },
];
export const EVENT_RULE: PolicyRule = { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] };
export const CONFIG_MAP_RULE: PolicyRule = {
  apiGroups: [''],
  resources: ['configmaps'],
  verbs: ['get', 'list', 'watch', 'create', 'patch'],
};
const ALL_RULES = [...LEASE_RULES, EVENT_RULE, CONFIG_MAP_RULE];

/** How long other replicas need at most to notice that a leader has crashed, and that it has released the Lease. */
export const bounds = ({ leaseDurationMs, retryPeriodMs }: ElectionTimings = DEFAULT_TIMINGS) => ({
  afterCrash: leaseDurationMs + 2.2 * retryPeriodMs,
  afterRelease: 2.2 * retryPeriodMs,
});

export class Stage {
  readonly namespace: string;
  readonly account: ServiceAccount;
  readonly timeline: Timeline;
  readonly #cluster: ControlPlane;
  readonly #admin: Client;
  readonly #program: Program;
  readonly #replicas: Replica[] = [];

  static async set(cluster: ControlPlane, program: Program, namespace: string): Promise<Stage> {
    const account = await cluster.serviceAccount(namespace, ACCOUNT, { rules: ALL_RULES });
    const config = await loadConfig({ kubeconfig: cluster.kubeconfig });
    return new Stage(cluster, program, namespace, account, createClient({ config }));
  }

  private constructor(
    cluster: ControlPlane,
    program: Program,
    namespace: string,
    account: ServiceAccount,
    admin: Client,
  ) {
    this.#cluster = cluster;
    this.#program = program;
    this.namespace = namespace;
    this.account = account;
    this.#admin = admin;
    this.timeline = new Timeline(admin, namespace, LEASE);
  }

  start(identity: string, extra: Pick<OperatorSettings, 'timings' | 'tuning'> = {}): Replica {
    const { namespace, account } = this;
    const settings = { kubeconfig: account.kubeconfig, namespace, lease: LEASE, identity, ...extra };
    const replica = new Replica(this.#program, settings);
    this.#replicas.push(replica);
    return replica;
  }

  /** Starts a leader that counts, and a standby that knows it. */
  async startPair(leader: string, standby: string, extra: Pick<OperatorSettings, 'timings' | 'tuning'> = {}) {
    const first = this.start(leader, extra);
    await this.timeline.counted(leader, 5);
    const second = this.start(standby, extra);
    await second.hasSaid('Another process leads');
    await second.isReady();
    return [first, second] as const;
  }

  async mayDo(...rules: readonly PolicyRule[]): Promise<void> {
    await this.#cluster.serviceAccount(this.namespace, ACCOUNT, { rules });
  }

  async create(name: string, data: Record<string, string>): Promise<void> {
    const metadata = { namespace: this.namespace, name, labels: { [HANDLE_LABEL]: 'yes' } };
    await this.#admin.create(kinds.ConfigMap, { metadata, data });
  }

  /** The replicas that handled the object, one entry for each time. */
  async handled(name: string): Promise<Handled[]> {
    return handledOf(await this.#get(name));
  }

  async untilHandled(names: readonly string[], timeout = 30_000): Promise<void> {
    const ask = async () => {
      const labelSelector = `${HANDLE_LABEL}=yes`;
      const { items } = await this.#admin.list(kinds.ConfigMap, { namespace: this.namespace, labelSelector });
      const done = new Set(
        items.filter((item) => handledOf(item).length > 0).map(({ metadata }) => metadata.name),
      );
      return names.every((name) => done.has(name));
    };
    await poll(ask, { what: `${names.length} ConfigMaps to be handled`, timeout });
  }

  async end(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.end()));
    await this.timeline.stop();
    await this.#admin.close();
  }

  #get(name: string): Promise<Stored<kinds.ConfigMapObject>> {
    return this.#admin.get(kinds.ConfigMap, { namespace: this.namespace, name });
  }
}
