/**
 * Reloads as seen from outside: one bare watch shows when a Deployment's template changed, another when a ConfigMap's
 * content did. Works with any operator.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  createClient,
  type KubernetesObject,
  kinds,
  loadConfig,
  type Stored,
} from '@reloader/runtime';
import type { ControlPlane } from '../test/control-plane/control-plane.ts';

type Deployment = Stored<KubernetesObject & { spec?: { template?: unknown } }>;
type ConfigMap = Stored<kinds.ConfigMapObject>;

export interface TimedChange {
  /** Milliseconds from sending the change to seeing it on a watch. */
  readonly seen: number;
  /** From sending the change to seeing the Deployment's new template on a watch. */
  readonly reloaded: number;
}

export class Reloads {
  readonly #client: Client;
  readonly #writer: Client;
  readonly #stop = new AbortController();
  readonly #templates = new Map<string, unknown>();
  readonly #waiting = new Set<() => void>();
  readonly #contents = new Map<string, { readonly version: string; readonly at: number }>();
  /** When the newest template of each Deployment arrived on the watch. */
  readonly #reloaded = new Map<string, number>();
  /** Template changes seen so far. */
  count = 0;
  /** When a Deployment last changed in any way. */
  lastEvent = performance.now();
  /** How often the server ended a watch. */
  interruptions = 0;
  #lastReload = 0;
  #written = 0;

  /** Watches the Deployments and ConfigMaps of one namespace. */
  static async watch(cluster: ControlPlane, namespace: string): Promise<Reloads> {
    const config = await loadConfig({ kubeconfig: cluster.kubeconfig });
    const reloads = new Reloads(createClient({ config }), createClient({ config }));
    await Promise.all([
      reloads.#follow(kinds.Deployment, namespace, (object) => reloads.#onDeployment(object as Deployment)),
      reloads.#follow(kinds.ConfigMap, namespace, (object) => reloads.#onConfigMap(object as ConfigMap)),
    ]);
    return reloads;
  }

  private constructor(client: Client, writer: Client) {
    this.#client = client;
    this.#writer = writer;
  }

  /** Changes the content of a ConfigMap; resolves with the time of sending when the server has accepted it. */
  async change(
    namespace: string,
    name: string,
  ): Promise<{ readonly began: number; readonly version: string }> {
    const body = { data: { value: `content ${this.#written++}` } };
    const began = performance.now();
    const { metadata } = await this.#writer.patch(
      kinds.ConfigMap,
      { namespace, name },
      { type: 'merge', body },
    );
    return { began, version: metadata.resourceVersion };
  }

  /** Changes a ConfigMap that one Deployment uses, and measures until the reload. */
  async timed(namespace: string, configMap: string, deployment: string): Promise<TimedChange> {
    const before = this.#reloaded.get(deployment) ?? 0;
    const { began, version } = await this.change(namespace, configMap);
    const isSeen = (): boolean => this.#contents.get(configMap)?.version === version;
    await this.until(() => isSeen() && (this.#reloaded.get(deployment) ?? 0) > before, 60_000);
    return {
      seen: (this.#contents.get(configMap)?.at ?? 0) - began,
      reloaded: (this.#reloaded.get(deployment) ?? 0) - began,
    };
  }

  /** Changes the ConfigMap repeatedly until the operator reloads its Deployment, which shows that it is running. */
  async untilAtWork(
    namespace: string,
    configMap: string,
    deployment: string,
    timeout = 120_000,
  ): Promise<number> {
    const before = this.#reloaded.get(deployment) ?? 0;
    const reloaded = (): boolean => (this.#reloaded.get(deployment) ?? 0) > before;
    const deadline = performance.now() + timeout;
    while (!reloaded()) {
      await this.change(namespace, configMap);
      await this.until(reloaded, 50).catch(() => undefined);
      if (performance.now() > deadline)
        throw new Error(`the operator did not reload ${deployment} in ${timeout} ms`);
    }
    const at = this.#reloaded.get(deployment) ?? 0;
    await this.quiet();
    return at;
  }

  /** Resolves when no Deployment was written for `forMs`. */
  async quiet(forMs = 1_500): Promise<void> {
    while (performance.now() - this.lastEvent < forMs)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** Resolves with the time of the last change when this many templates have changed since `from`. */
  async counted(from: number, changes: number, timeout: number): Promise<number> {
    await this.until(() => this.count - from >= changes, timeout);
    return this.#lastReload;
  }

  /** Checks the condition after every event. */
  until(done: () => boolean, timeout: number): Promise<void> {
    if (done()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!done()) return;
        end();
        resolve();
      };
      const timer = setTimeout(() => {
        end();
        reject(new Error(`nothing of the kind happened in ${timeout} ms`));
      }, timeout);
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(look);
      };
      this.#waiting.add(look);
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#client.close(), this.#writer.close()]);
  }

  async #follow(
    type: typeof kinds.Deployment | typeof kinds.ConfigMap,
    namespace: string,
    onObject: (object: Stored<KubernetesObject>) => void,
  ): Promise<void> {
    const { signal } = this.#stop;
    const { metadata, items } = await this.#client.list(type, { namespace });
    for (const item of items) onObject(item);
    let resourceVersion = metadata.resourceVersion ?? '';
    let stream = await this.#client.watch(type, { namespace, resourceVersion, signal });
    const read = async (): Promise<void> => {
      for (;;) {
        for await (const event of stream) {
          if (event.type === 'BOOKMARK') continue;
          resourceVersion = event.object.metadata.resourceVersion;
          onObject(event.object);
          for (const look of this.#waiting) look();
        }
        // The API server ends the watch of a client that is too slow; it resumes and misses nothing.
        this.interruptions += 1;
        stream = await this.#client.watch(type, { namespace, resourceVersion, signal });
      }
    };
    read().catch((error: unknown) => {
      if (!signal.aborted) console.error('A watch of the benchmark ended', error);
    });
  }

  #onDeployment(object: Deployment): void {
    const { name } = object.metadata;
    this.lastEvent = performance.now();
    const template = object.spec?.template;
    const known = this.#templates.get(name);
    this.#templates.set(name, template);
    if (known === undefined || isDeepStrictEqual(known, template)) return;
    this.count += 1;
    this.#lastReload = this.lastEvent;
    this.#reloaded.set(name, this.lastEvent);
  }

  #onConfigMap({ metadata: { name, resourceVersion } }: ConfigMap): void {
    this.#contents.set(name, { version: resourceVersion, at: performance.now() });
  }
}
