/**
 * The operator as a process on the real control plane, and the events of a long run: its client certificate is
 * replaced, the API server restarts. The process reports what it holds.
 */
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, createClient, loadConfig } from '@reloader/runtime';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { poll } from '../control-plane/poll.ts';
import { freePorts } from '../control-plane/ports.ts';
import { type Bundle, bundleOperator } from '../kills/bundle.ts';
import { OperatorProcess } from '../kills/operator-process.ts';
import { OPERATOR_NAMESPACE, SOAK_PERMISSIONS } from './permissions.ts';

export interface Held {
  readonly heap: number;
  readonly rss: number;
  readonly external: number;
  readonly resources: Readonly<Record<string, number>>;
}

export class RealWorld {
  readonly client: Client;
  readonly operator: OperatorProcess;
  renewals = 0;
  readonly #cluster: ControlPlane;
  readonly #user: string;
  readonly #folder: string;
  readonly #ports: readonly [number, number];
  readonly #bundle: Bundle;

  static async begin(cluster: ControlPlane): Promise<RealWorld> {
    for (const file of ['reloaderconfig_crd.yaml', 'podconfigmapconfig_crd.yaml']) {
      const path = fileURLToPath(new URL(`../../crd/${file}`, import.meta.url));
      await cluster.kubectl(['apply', '--server-side', '-f', path]);
      await cluster.kubectl(['wait', '--for=condition=Established', '-f', path]);
    }
    const { cluster: clusterRules, own: rules } = SOAK_PERMISSIONS;
    const account = await cluster.serviceAccount(OPERATOR_NAMESPACE, 'reloader', { clusterRules, rules });
    const config = await loadConfig({ kubeconfig: cluster.kubeconfig });
    const folder = await mkdtemp(join(tmpdir(), 'soak-'));
    const ports = (await freePorts(2)) as [number, number];
    const bundle = await bundleOperator();
    const world = new RealWorld(cluster, createClient({ config }), account.user, folder, ports, bundle);
    await world.renewCertificate();
    world.operator.start();
    await poll(async () => (await fetch(`${world.#url}/readyz`)).ok, {
      what: 'the operator to be ready',
      timeout: 60_000,
    });
    return world;
  }

  private constructor(
    cluster: ControlPlane,
    client: Client,
    user: string,
    folder: string,
    ports: readonly [number, number],
    bundle: Bundle,
  ) {
    this.#cluster = cluster;
    this.client = client;
    this.#user = user;
    this.#folder = folder;
    this.#ports = ports;
    this.#bundle = bundle;
    this.operator = new OperatorProcess({
      kubeconfig: join(folder, 'kubeconfig'),
      flags: [`--http-bind-address=127.0.0.1:${ports[0]}`, '--leader-elect', '--verify=true'],
      env: {
        POD_NAMESPACE: OPERATOR_NAMESPACE,
        RELOADER_NAMESPACE: OPERATOR_NAMESPACE,
        SOAK_PROBE_PORT: String(ports[1]),
        NODE_OPTIONS: `--expose-gc --import=${new URL('./probe.mjs', import.meta.url)}`,
      },
      program: bundle.file,
    });
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#ports[0]}`;
  }

  /** The resources that its process holds, after garbage collection. */
  async held(): Promise<Held> {
    return (await (await fetch(`http://127.0.0.1:${this.#ports[1]}`)).json()) as Held;
  }

  async metrics(): Promise<string> {
    return await (await fetch(`${this.#url}/metrics`)).text();
  }

  /** Writes a new client certificate to the files that its kubeconfig names. */
  async renewCertificate(): Promise<void> {
    const issued = await this.#cluster.kubeconfigFor({ user: this.#user, groups: ['system:authenticated'] });
    const config = JSON.parse(await readFile(issued, 'utf8'));
    const [{ user }] = config.users;
    for (const part of ['client-certificate', 'client-key']) {
      const file = join(this.#folder, part);
      // Renamed into place, as tools that renew certificates do.
      await writeFile(`${file}.new`, Buffer.from(user[`${part}-data`], 'base64'), { mode: 0o600 });
      await rename(`${file}.new`, file);
      delete user[`${part}-data`];
      user[part] = file;
    }
    await writeFile(join(this.#folder, 'kubeconfig'), JSON.stringify(config));
    this.renewals += 1;
  }

  async restartServer(): Promise<void> {
    await this.#cluster.restart('kube-apiserver');
    await this.#cluster.waitUntilReady();
  }

  async end(): Promise<void> {
    await this.operator.kill();
    await this.client.close();
    await this.#bundle.remove();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
