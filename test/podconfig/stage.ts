/** The actions of a scenario, on either API server. */
import { type Client, kinds, type Stored } from '@reloader/runtime';
import type { RecordedWrite } from '@reloader/runtime/testing';
import {
  GENERATED_BY,
  type PodConfigMapConfig,
  type PodConfigMapConfigStatus,
  PodConfigMapConfigs,
} from '../../packages/operator/src/podconfig/model.ts';

/** The parts that differ between the two servers. */
export interface Ground {
  readonly client: Client;
  /** The scenario's own namespace. */
  readonly namespace: string;
  /** Starts the controller. */
  start(): void;
  /** Stops it like a process that ends. */
  stop(): Promise<void>;
  /** Waits until everything that is due soon has happened. */
  settle(): Promise<void>;
  /** Waits until the check no longer throws; rejects with its last error. */
  until(check: () => Promise<void>): Promise<void>;
  /** The writes of the controller since the last call. */
  takeWrites(): readonly RecordedWrite[];
}

export interface PodShape {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: string[];
}

/** The verbs of scenarios. */
export class Stage {
  readonly ground: Ground;
  readonly client: Client;

  constructor(ground: Ground) {
    this.ground = ground;
    this.client = ground.client;
  }

  key(name: string): { namespace: string; name: string } {
    return { namespace: this.ground.namespace, name };
  }

  pod(name: string, shape: PodShape = {}): Promise<Stored<kinds.PlainObject>> {
    const spec = { containers: [{ name: 'app', image: 'nginx:1' }] };
    return this.client.create(kinds.Pod, { metadata: { ...this.key(name), ...shape }, spec });
  }

  config(name: string, spec: PodConfigMapConfig['spec'] = {}): Promise<Stored<PodConfigMapConfig>> {
    return this.client.create(PodConfigMapConfigs, { metadata: this.key(name), spec });
  }

  async respec(name: string, spec: object): Promise<void> {
    await this.client.patch(PodConfigMapConfigs, this.key(name), { type: 'merge', body: { spec } });
  }

  async relabel(pod: string, labels: Record<string, string | null>): Promise<void> {
    await this.client.patch(kinds.Pod, this.key(pod), { type: 'merge', body: { metadata: { labels } } });
  }

  configMap(name: string): Promise<Stored<kinds.ConfigMapObject>> {
    return this.client.get(kinds.ConfigMap, this.key(name));
  }

  async edit(name: string, body: object): Promise<void> {
    await this.client.patch(kinds.ConfigMap, this.key(name), { type: 'merge', body });
  }

  async status(name: string): Promise<PodConfigMapConfigStatus> {
    return (await this.client.get(PodConfigMapConfigs, this.key(name))).status ?? {};
  }

  async generated(): Promise<Stored<kinds.ConfigMapObject>[]> {
    const { namespace } = this.ground;
    const { items } = await this.client.list(kinds.ConfigMap, { namespace, labelSelector: GENERATED_BY });
    return items;
  }

  /** Throws until the namespace has its ServiceAccount. */
  async account(): Promise<void> {
    await this.client.get(kinds.ServiceAccount, this.key('default'));
  }

  async names(): Promise<string[]> {
    return (await this.generated()).map(({ metadata }) => metadata.name).sort();
  }
}
