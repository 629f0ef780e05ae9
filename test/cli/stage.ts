/** A cluster and an operator in this process, on one virtual clock: a test asks before a change and looks after it. */
import { type Handler, type Minicluster, startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, createRegistry, type KubernetesObject, kinds } from '@reloader/runtime';
import { createCapturingLogger, VirtualClock } from '@reloader/runtime/testing';
import type { OperatorView } from '../../packages/operator/src/api/operator-view.ts';
import { LOCAL_READER } from '../../packages/operator/src/api/reader.ts';
import { createApi } from '../../packages/operator/src/api/routes.ts';
import { reloaderConfigCrd } from '../../packages/operator/src/crds/reloader-config.ts';
import { createOperator, type Operator } from '../../packages/operator/src/operator.ts';
import { parseSettings } from '../../packages/operator/src/settings/parse.ts';
import { inlineRenderer } from '../../packages/operator/src/template/renderer.ts';
import { inlineChecker } from '../../packages/operator/src/validate/checker.ts';

export const OPERATOR_NAMESPACE = 'reloader';

export interface StageOptions {
  readonly seed: number;
  readonly flags: readonly string[];
  readonly namespaces: readonly string[];
}

export class Stage {
  readonly clock: VirtualClock;
  readonly cluster: Minicluster;
  readonly client: Client;
  readonly flags: readonly string[];
  readonly log = createCapturingLogger('debug');
  #stop = new AbortController();
  #operator: Operator | undefined;
  #ended: Promise<void> | undefined;
  #operatorClient: Client | undefined;

  static async set({ seed, flags, namespaces }: StageOptions): Promise<Stage> {
    const clock = new VirtualClock();
    let stage: Stage | undefined;
    const middleware =
      (next: Handler): Handler =>
      (request) =>
        (stage?.proxy(next) ?? next)(request);
    const cluster = await startMinicluster({ clock, seed, middleware: [middleware] });
    stage = new Stage(clock, cluster, flags);
    await stage.client.create(kinds.CustomResourceDefinition, reloaderConfigCrd as KubernetesObject);
    for (const name of [OPERATOR_NAMESPACE, ...namespaces])
      await stage.client.create(kinds.Namespace, { metadata: { name } });
    await clock.advance(1_000);
    return stage;
  }

  private constructor(clock: VirtualClock, cluster: Minicluster, flags: readonly string[]) {
    this.clock = clock;
    this.cluster = cluster;
    this.flags = flags;
    this.client = createClient({ transport: cluster.transport(), clock, fieldManager: 'user' });
  }

  async startOperator(): Promise<void> {
    const { clock, log } = this;
    const client = createClient({
      transport: this.cluster.transport(),
      clock,
      random: () => 0.5,
      fieldManager: 'Reloader',
      logger: log.logger,
    });
    this.#operatorClient = client;
    const settings = parseSettings([...this.flags], {
      POD_NAMESPACE: OPERATOR_NAMESPACE,
      POD_NAME: 'reloader',
    });
    const operator = createOperator({
      templates: inlineRenderer,
      contents: inlineChecker,
      client,
      settings,
      clock,
      logger: log.logger,
      metrics: createRegistry(),
    });
    this.#stop = new AbortController();
    this.#operator = operator;
    this.#ended = operator.run(this.#stop.signal);
    this.#ended.catch(() => undefined);
    // The operator loads modules from disk, during which no virtual time may pass.
    const works = async (): Promise<boolean> =>
      (await operator.operatorView()?.status())?.leading === true && (await operator.ready());
    for (let tries = 0; !(await works()); tries++) {
      if (tries > 10_000) throw new Error('The operator does not start');
      await new Promise((resolve) => setTimeout(resolve, 1));
      await clock.advance(tries % 20 === 19 ? 50 : 0);
    }
  }

  get operatorView(): OperatorView {
    const operatorView = this.#operator?.operatorView();
    if (!operatorView) throw new Error('The operator does not run');
    return operatorView;
  }

  /** Advances the clock until the promise has settled. */
  async drive<T>(work: Promise<T>): Promise<T> {
    let ended = false;
    const mark = (): void => {
      ended = true;
    };
    work.then(mark, mark);
    await this.clock.settle();
    for (let waited = 0; !ended && waited < 10_000; waited += 1) {
      // Real time to read from disk; most steps of a command need no virtual time.
      await new Promise((resolve) => setTimeout(resolve, 1));
      await this.clock.advance(waited % 20 === 19 ? 50 : 0);
    }
    return work;
  }

  /** A client with the permissions of another user. */
  as(user: string): Client {
    const token = `token-${user}`;
    this.cluster.addToken(token, { name: user, groups: ['system:authenticated'] });
    return createClient({ transport: this.cluster.transport({ token }), clock: this.clock, retry: false });
  }

  /** The API server's proxy to the operator's Service. */
  readonly proxy =
    (next: Handler): Handler =>
    async (request) => {
      const [, path, query = ''] =
        /^\/api\/v1\/namespaces\/reloader\/services\/reloader:http\/proxy(\/[^?]*)(?:\?(.*))?$/.exec(
          request.path,
        ) ?? [];
      if (path === undefined) return next(request);
      const operatorView = this.#operator?.operatorView();
      const headers = { 'content-type': 'application/json' };
      if (!operatorView) return { status: 503, headers, body: Buffer.from('no endpoints available') };
      const api = createApi({ operatorView, logger: this.log.logger });
      const { signal } = new AbortController();
      const given = await api({
        method: 'GET',
        path,
        query: new URLSearchParams(query),
        reader: LOCAL_READER,
        signal,
      });
      return { status: given.status, headers, body: Buffer.from(JSON.stringify(given.body)) };
    };

  /** Creates the Service by which commands find the operator, as the chart does. */
  async openService(): Promise<void> {
    await this.client.create(kinds.Service, {
      metadata: {
        name: 'reloader',
        namespace: OPERATOR_NAMESPACE,
        labels: { 'app.kubernetes.io/name': 'reloader' },
      },
      spec: { ports: [{ name: 'http', port: 9090 }] },
    } as KubernetesObject);
  }

  /** Creates any object, by the path of its collection. */
  async create(object: KubernetesObject & { apiVersion: string; kind: string }): Promise<void> {
    const { apiVersion, kind, metadata } = object;
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const path = `${base}/namespaces/${metadata?.namespace}/${kind.toLowerCase()}s`;
    await this.client.raw({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(object),
    });
  }

  async stopOperator(): Promise<void> {
    this.#stop.abort(new Error('stopped'));
    let ended = false;
    const end = this.#ended
      ?.catch(() => undefined)
      .then(() => {
        ended = true;
      });
    await this.clock.settle();
    for (let waited = 0; !ended && waited < 60_000; waited += 100) await this.clock.advance(100);
    await end;
    await this.#operatorClient?.close();
    this.#operator = undefined;
  }

  async close(): Promise<void> {
    if (this.#operator) await this.stopOperator();
    await this.client.close();
    await this.cluster.stop();
  }
}
