/** A cluster and the operator on it, both in this process, with the page on a loopback port. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { freePort } from '../../packages/demo/src/operator-service.ts';
import { startMinicluster } from '../../packages/minicluster/src/index.ts';
import type { Minicluster } from '../../packages/minicluster/src/minicluster.ts';
import { applyCrds } from '../../packages/operator/src/crds/apply.ts';
import { runOperator } from '../../packages/operator/src/operator.ts';
import { parseSettings } from '../../packages/operator/src/settings/parse.ts';
import {
  type Client,
  createClient,
  kinds,
  loadConfig,
  silentLogger,
} from '../../packages/runtime/src/index.ts';

const PREFIX = 'reloader.stakater.com';
/** A busy machine needs longer to start a cluster. */
const SLOW_MS = 60_000;

export interface AppOptions {
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly configMaps?: readonly string[];
  readonly replicas?: number;
}

export class Stage {
  readonly cluster: Minicluster;
  readonly client: Client;
  readonly kubeconfig: string;
  port = 0;
  #running: { readonly ending: AbortController; readonly ended: Promise<void> } | undefined;

  constructor(cluster: Minicluster, client: Client, kubeconfig: string) {
    this.cluster = cluster;
    this.client = client;
    this.kubeconfig = kubeconfig;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/ui/`;
  }

  /** Resolves when the operator answers. */
  async startOperator(...flags: string[]): Promise<void> {
    if (this.port === 0) this.port = await freePort();
    const address = `--http-bind-address=127.0.0.1:${this.port}`;
    const settings = parseSettings(['--kubeconfig', this.kubeconfig, address, ...flags], {
      POD_NAMESPACE: 'reloader',
      POD_NAME: 'reloader-0',
    });
    const ending = new AbortController();
    const ended = runOperator(settings, { logger: silentLogger, signal: ending.signal });
    this.#running = { ending, ended };
    ended.catch(() => undefined);
    await this.#ask('readyz');
    await this.answers('status');
  }

  /** Retries until there is an answer. */
  async answers(path: string): Promise<unknown> {
    return JSON.parse(await this.#ask(`api/v1/${path}`));
  }

  async #ask(path: string): Promise<string> {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${this.port}/${path}`).catch(() => undefined);
      if (answer?.ok) return answer.text();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stopOperator(): Promise<void> {
    this.#running?.ending.abort();
    await this.#running?.ended;
    this.#running = undefined;
  }

  async namespace(name: string): Promise<void> {
    await this.client.create(kinds.Namespace, { metadata: { name } });
  }

  async secret(name: string, value: string, namespace = 'shop'): Promise<void> {
    await this.client.create(kinds.Secret, {
      metadata: { namespace, name },
      data: { password: Buffer.from(value).toString('base64') },
    } as kinds.SecretObject);
  }

  async changeSecret(name: string, value: string, namespace = 'shop'): Promise<void> {
    const data = { password: Buffer.from(value).toString('base64') };
    await this.client.patch(kinds.Secret, { namespace, name }, { type: 'merge', body: { data } });
  }

  async configMap(name: string, namespace = 'shop'): Promise<void> {
    await this.client.create(kinds.ConfigMap, { metadata: { namespace, name }, data: { a: '1' } });
  }

  async app(name: string, options: AppOptions = {}): Promise<void> {
    const { namespace = 'shop', annotations, secrets = [], configMaps = [], replicas = 1 } = options;
    // A name may be longer than a label.
    const labels = { app: name.slice(0, 59) };
    const envFrom = [
      ...secrets.map((each) => ({ secretRef: { name: each } })),
      ...configMaps.map((each) => ({ configMapRef: { name: each } })),
    ];
    await this.client.create(kinds.Deployment, {
      metadata: { namespace, name, annotations: { [`${PREFIX}/auto`]: 'true', ...annotations } },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'app', image: 'example.com/app:1', envFrom }] },
        },
      },
    });
  }

  async annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const body = { metadata: { annotations } };
    await this.client.patch(kinds.Deployment, { namespace: 'shop', name }, { type: 'merge', body });
  }

  async close(): Promise<void> {
    await this.stopOperator();
    await this.client.close();
    await this.cluster.stop();
  }
}

/** One stage for the tests of a file; `prepare` fills it before the operator starts. */
export function useStage(prepare: (stage: Stage) => Promise<void>, ...flags: string[]): () => Stage {
  let stage: Stage | undefined;
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reloader-page-'));
    const cluster = await startMinicluster({ listen: { port: 0 } });
    const kubeconfig = join(folder, 'kubeconfig');
    await cluster.writeKubeconfig(kubeconfig);
    const client = createClient({ config: await loadConfig({ kubeconfig }), logger: silentLogger });
    stage = new Stage(cluster, client, kubeconfig);
    await applyCrds(client);
    await stage.namespace('shop');
    await stage.namespace('reloader');
    await prepare(stage);
    await stage.startOperator(...flags);
  }, SLOW_MS);
  afterAll(async () => {
    await stage?.close();
    await rm(folder, { recursive: true, force: true });
  });
  return () => {
    if (!stage) throw new Error('The stage has not been set');
    return stage;
  };
}
