/** A cluster with both of our kinds, some objects, an operator, and the resulting messages for users. */
import { readFileSync } from 'node:fs';
import {
  AlreadyExistsError,
  type Condition,
  type Discovery,
  discover,
  type KubernetesObject,
  kinds,
  type ResourceType,
  type Stored,
} from '@reloader/runtime';
import { run } from '../../packages/operator/src/cli/command-io.test.support.ts';
import { podConfigMapConfigCrd } from '../../packages/operator/src/crds/pod-config-map-config.ts';
import { createStyle, table } from '../../packages/operator/src/terminal/style.ts';
import { Stage } from '../cli/stage.ts';
import { ROOT } from '../docs/blocks.ts';
import { kstatusOf } from './kstatus.ts';
import { healthBy } from './lua.ts';

type Plain = KubernetesObject & { spec?: unknown; status?: { conditions?: Condition[] } };
interface SomeEvent {
  readonly regarding?: { readonly kind?: string; readonly name?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
}
const SCRIPTS: Readonly<Record<string, string>> = {
  ReloaderConfig: readFileSync(`${ROOT}/config/argocd/reloaderconfig.lua`, 'utf8'),
  PodConfigMapConfig: readFileSync(`${ROOT}/config/argocd/podconfigmapconfig.lua`, 'utf8'),
};
const plain = createStyle(false);

export class Scene {
  readonly stage: Stage;
  readonly #discovery: Discovery;

  private constructor(stage: Stage, discovery: Discovery) {
    this.stage = stage;
    this.#discovery = discovery;
  }

  static async set(): Promise<Scene> {
    const stage = await Stage.set({ seed: 1, flags: [], namespaces: [] });
    await stage.client.create(kinds.CustomResourceDefinition, podConfigMapConfigCrd as KubernetesObject);
    await stage.clock.advance(1_000);
    await stage.openService();
    return new Scene(stage, await discover(stage.client));
  }

  async operate(): Promise<void> {
    await this.stage.clock.advance(5_000);
    await this.stage.startOperator();
    await this.stage.clock.advance(20_000);
  }

  typeOf({ apiVersion = '', kind = '' }: KubernetesObject): Promise<ResourceType> {
    return this.#discovery.resolveKind({ apiVersion, kind });
  }

  /** Applies it, in `default` unless the object names a namespace. */
  async apply(object: KubernetesObject): Promise<Plain> {
    const type = await this.typeOf(object);
    const namespace = object.metadata?.namespace ?? 'default';
    if (type.namespaced) await this.#namespace(namespace);
    const metadata = { ...object.metadata, ...(type.namespaced && { namespace }) };
    return (await this.stage.client.apply(type, { ...object, metadata }, { force: true })) as Plain;
  }

  async #namespace(name: string): Promise<void> {
    await this.stage.client.create(kinds.Namespace, { metadata: { name } }).catch((error: unknown) => {
      if (!(error instanceof AlreadyExistsError)) throw error;
    });
  }

  async live(object: KubernetesObject): Promise<Stored<Plain>> {
    const { name = '', namespace } = object.metadata ?? {};
    return (await this.stage.client.get(await this.typeOf(object), {
      name,
      ...(namespace && { namespace }),
    })) as Stored<Plain>;
  }

  /** `type reason: message` of the Events about it, sorted. */
  async events({ kind, metadata }: KubernetesObject): Promise<string[]> {
    const { items } = await this.stage.client.list(kinds.Event, { namespace: metadata?.namespace ?? '' });
    return (items as unknown as SomeEvent[])
      .filter(({ regarding: about }) => about?.kind === kind && about?.name === metadata?.name)
      .map(({ type, reason, note }) => `${type} ${reason}: ${note}`)
      .sort();
  }

  /** The output of `kubectl get -o wide`, the end of `kubectl describe`, and the verdicts of GitOps tools. */
  async described(object: KubernetesObject): Promise<string> {
    const live = await this.live(object);
    const conditions = (live.status?.conditions ?? []).map(
      ({ type, status, reason, message }) => `  ${type}=${status} ${reason}: ${message}\n`,
    );
    const events = (await this.events(live)).map((line) => `  ${line}\n`);
    const argo = healthBy(SCRIPTS[object.kind ?? ''] ?? '', live);
    return [
      await this.#got(live),
      'Conditions:\n',
      ...conditions,
      'Events:\n',
      ...(events.length === 0 ? ['  <none>\n'] : events),
      `Argo CD: ${argo.status}\n`,
      `Flux: ${kstatusOf(live)}\n`,
    ].join('');
  }

  async #got({ metadata, apiVersion = '', kind = '' }: Stored<Plain>): Promise<string> {
    const type = await this.typeOf({ apiVersion, kind });
    const response = await this.stage.client.raw({
      method: 'GET',
      path: `/apis/${apiVersion}/namespaces/${metadata.namespace}/${type.plural}/${metadata.name}`,
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    const { columnDefinitions, rows } = JSON.parse(Buffer.concat(chunks).toString()) as {
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    const cells = rows.map((row) => row.cells.map((cell) => String(cell ?? '')));
    return table(
      columnDefinitions.map(({ name }) => name.toUpperCase()),
      cells,
      plain,
      undefined,
    );
  }

  async explained({ kind = '', metadata }: KubernetesObject): Promise<string> {
    const namespace = metadata?.namespace ?? 'default';
    const words = ['explain', `${kind.toLowerCase()}/${metadata?.name}`];
    const { stage } = this;
    const ran = await stage.drive(run(words, { client: stage.client, namespace, clock: stage.clock }));
    return ran.out + ran.err;
  }
}
