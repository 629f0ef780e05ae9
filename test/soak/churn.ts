/**
 * The load of a busy cluster: contents change, and objects of every kind are created and deleted, each under a new
 * name, so that anything kept by name and never removed adds up.
 *
 * The number of objects stays the same. Two runs of one seed do the same.
 */
import { type Client, type KubernetesObject, kinds } from '@reloader/runtime';
import { createRandom, type Random } from '@reloader/runtime/testing';
import { PodConfigMapConfigs } from '../../packages/operator/src/podconfig/model.ts';
import { ReloaderConfig } from '../reloader/kinds.ts';
import { workload } from '../reloader/objects.ts';

const NAMESPACES = 4;
const WORKLOADS_EACH = 6;
const KINDS = ['Deployment', 'Deployment', 'StatefulSet', 'DaemonSet', 'Deployment', 'Deployment'] as const;

interface App {
  /** Its index in its namespace, which decides its kind and how it opts in. */
  readonly index: number;
  readonly kind: (typeof KINDS)[number];
  readonly namespace: string;
  readonly name: string;
}

export class Churn {
  readonly #client: Client;
  readonly #random: Random;
  readonly #namespaces: string[] = [];
  #apps: App[] = [];
  #made = 0;
  /** So far: changed contents, and applications that were deleted. */
  changes = 0;
  replaced = 0;

  constructor(client: Client, seed: number) {
    this.#client = client;
    this.#random = createRandom(seed);
  }

  async populate(): Promise<void> {
    for (let each = 0; each < NAMESPACES; each += 1) await this.#addNamespace();
  }

  /** Changes the content of one source. */
  async change(): Promise<void> {
    await this.#changeSource(this.#random.pick(this.#apps));
  }

  /** Deletes an application with all its objects, and creates another one of its kind. */
  async replaceApp(): Promise<void> {
    await this.#replaceApp(this.#random.pick(this.#apps));
  }

  /** Deletes a namespace with all its objects, and creates another one. */
  async replaceNamespace(): Promise<void> {
    const namespace = this.#namespaces.shift() ?? '';
    const gone = this.#apps.filter((app) => app.namespace === namespace);
    this.#apps = this.#apps.filter((app) => app.namespace !== namespace);
    // Like the namespace controller: its objects first.
    for (const app of gone) await this.#remove(app);
    await this.#client.delete(PodConfigMapConfigs, { namespace, name: 'facts' });
    await this.#client.delete(kinds.Namespace, { name: namespace });
    await this.#addNamespace();
  }

  async #addNamespace(): Promise<void> {
    const namespace = `team-${this.#made++}`;
    this.#namespaces.push(namespace);
    await this.#client.create(kinds.Namespace, { metadata: { name: namespace } });
    await this.#client.create(PodConfigMapConfigs, {
      metadata: { namespace, name: 'facts' },
      spec: { podSelector: { matchLabels: { facts: 'yes' } }, labelsToInclude: ['app'] },
    } as KubernetesObject);
    for (let each = 0; each < WORKLOADS_EACH; each += 1) await this.#add(namespace, each);
  }

  async #replaceApp(app: App): Promise<void> {
    this.#apps = this.#apps.filter((other) => other !== app);
    await this.#remove(app);
    await this.#add(app.namespace, app.index);
  }

  /** Half of them opt in by annotation, the others by a ReloaderConfig. */
  async #add(namespace: string, index: number): Promise<void> {
    const kind = KINDS[index] ?? 'Deployment';
    const name = `app-${this.#made++}`;
    const byConfig = index % 2 === 0;
    const uses = [{ secret: name }, { configMap: name, via: 'volume' }] as const;
    const metadata = { namespace, name };
    const create = this.#client.create.bind(this.#client);
    await create(kinds.Secret, { metadata, data: secretData('first') } as KubernetesObject);
    await create(kinds.ConfigMap, { metadata, data: { key: 'first' } } as KubernetesObject);
    const annotations = byConfig ? {} : { auto: 'true' };
    await create(typeOf(kind), workload(kind, name, namespace, { annotations, uses, replicas: 2 }));
    if (byConfig) {
      const spec = { watchedResources: { secrets: [name], configMaps: [name] }, targets: [{ kind, name }] };
      await create(ReloaderConfig, { metadata, spec } as KubernetesObject);
    }
    const pod = { containers: [{ name: 'main', image: 'registry.test/app:1' }] };
    const labels = { app: name, facts: 'yes' };
    await create(kinds.Pod, { metadata: { ...metadata, labels }, spec: pod } as KubernetesObject);
    this.#apps.push({ index, kind, namespace, name });
  }

  async #remove({ kind, namespace, name }: App): Promise<void> {
    this.replaced += 1;
    const types = [typeOf(kind), kinds.Secret, kinds.ConfigMap, kinds.Pod, ReloaderConfig];
    for (const type of types) {
      await this.#client
        .delete(type, { namespace, name }, { propagationPolicy: 'Background' })
        .catch((error: Error) => {
          // Half of them have no ReloaderConfig.
          if (error.name !== 'NotFoundError') throw error;
        });
    }
  }

  async #changeSource({ namespace, name }: App): Promise<void> {
    const content = `content-${this.changes++}`;
    const isSecret = this.#random.chance(0.5);
    const data = isSecret ? secretData(content) : { key: content };
    await this.#client.patch(
      isSecret ? kinds.Secret : kinds.ConfigMap,
      { namespace, name },
      { type: 'merge', body: { data } },
    );
  }
}

const secretData = (text: string): Record<string, string> => ({ key: Buffer.from(text).toString('base64') });

const typeOf = (kind: App['kind']) => kinds[kind];
