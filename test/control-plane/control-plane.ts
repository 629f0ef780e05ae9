/**
 * A running control plane, for tests; `startControlPlane` in start.ts makes one.
 *
 * Every path it gives lies in a directory of its own, which goes when it stops, as do its processes. They also
 * go when this process ends without stopping it, in whatever way. A control plane that nobody waits for does
 * not keep this process from ending.
 */
import { appendFile, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Api } from './api.ts';
import { AuditLog } from './audit.ts';
import { controlPlaneBinary } from './build.ts';
import type { CertificateAuthority, Validity } from './certificates.ts';
import { outputOf } from './command.ts';
import type { Component } from './component.ts';
import type { AuditLevel, ComponentName } from './components.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { type Layout, writePrivate } from './layout.ts';
import { poll } from './poll.ts';
import {
  createServiceAccount,
  type ServiceAccountOptions,
  type ServiceAccountToken,
} from './service-account.ts';

/** The user of a kubeconfig: a bearer token, or a client certificate. */
export type Subject =
  | { readonly token: string }
  | { readonly tokenFile: string }
  | { readonly user: string; readonly groups?: readonly string[]; readonly validity?: Validity };

export interface ServiceAccount extends ServiceAccountToken {
  /** Path of a kubeconfig file with the token; its namespace is the account's. */
  readonly kubeconfig: string;
}

export interface ToolOptions {
  /** Standard input: text, or an object that is written as JSON. */
  readonly input?: string | object;
  /** A kubeconfig other than the administrator's. */
  readonly kubeconfig?: string;
  readonly signal?: AbortSignal;
}

export interface ControlPlaneParts {
  readonly layout: Layout;
  readonly server: string;
  readonly api: Api;
  readonly authority: CertificateAuthority;
  readonly adminToken: string;
  readonly auditLevel: AuditLevel;
  readonly components: ReadonlyMap<ComponentName, Component>;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the guard that would remove the directory. */
  readonly releaseDirectory: () => Promise<void>;
}

const readyTimeout = 60_000;

export class ControlPlane {
  readonly #parts: ControlPlaneParts;
  readonly #audit: AuditLog | undefined;
  #kubeconfigs = 0;
  #stopped: Promise<void> | undefined;

  constructor(parts: ControlPlaneParts) {
    this.#parts = parts;
    if (parts.auditLevel !== 'None') {
      const request = (path: string) => parts.api.call(path);
      this.#audit = new AuditLog({ path: parts.layout.auditLog, request });
    }
  }

  /** Base URL of the API server. */
  get server(): string {
    return this.#parts.server;
  }

  /** Signed the server's certificate; signs client certificates, and servers' for webhooks. */
  get authority(): CertificateAuthority {
    return this.#parts.authority;
  }

  /** Path of the administrator's kubeconfig file. */
  get kubeconfig(): string {
    return this.#parts.layout.kubeconfig('admin');
  }

  get adminToken(): string {
    return this.#parts.adminToken;
  }

  /** Requests as the administrator. */
  get api(): Api {
    return this.#parts.api;
  }

  get directory(): string {
    return this.#parts.layout.directory;
  }

  get audit(): AuditLog {
    if (this.#audit === undefined)
      throw new Error('this control plane keeps no audit log: auditLevel is None');
    return this.#audit;
  }

  /** Writes a kubeconfig file and returns its path. */
  async kubeconfigFor(subject: Subject, options: { readonly namespace?: string } = {}): Promise<string> {
    const { server, authority, layout } = this.#parts;
    const credentials =
      'user' in subject ? authority.issueClient(subject.user, subject.groups, subject.validity) : subject;
    this.#kubeconfigs += 1;
    const path = layout.kubeconfig(`user-${this.#kubeconfigs}`);
    await writePrivate(
      path,
      kubeconfigText({ server, authority: authority.certificate, credentials, ...options }),
    );
    return path;
  }

  /** Creates a service account (and its namespace) with exactly these RBAC rules. */
  async serviceAccount(
    namespace: string,
    name: string,
    options: ServiceAccountOptions = {},
  ): Promise<ServiceAccount> {
    const account = await createServiceAccount(this.#parts.api, namespace, name, options);
    return { ...account, kubeconfig: await this.kubeconfigFor({ token: account.token }, { namespace }) };
  }

  /** Whether lists may be read as watches, by default since Kubernetes 1.34. */
  async servesWatchLists(): Promise<boolean> {
    const { major, minor } = JSON.parse(await this.kubectl(['get', '--raw', '/version'])) as Record<
      string,
      string
    >;
    return Number(major) > 1 || Number.parseInt(minor ?? '', 10) >= 34;
  }

  /** Standard output of a kubectl command; throws a CommandError on failure. */
  kubectl(args: readonly string[], options: ToolOptions = {}): Promise<string> {
    return this.#tool('kubectl', args, options);
  }

  /** Standard output of a helm command; builds helm on first use. */
  helm(args: readonly string[], options: ToolOptions = {}): Promise<string> {
    return this.#tool('helm', args, options);
  }

  /** Process id of a running component. */
  pid(component: ComponentName): number | undefined {
    return this.#component(component).pid;
  }

  logFile(component: ComponentName): string {
    return this.#parts.layout.log(component);
  }

  /** Resolves when the component has exited, or at once for a signal that does not end it (SIGSTOP, SIGCONT). */
  async kill(component: ComponentName, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.#component(component).kill(signal);
  }

  /** Restarts a component with the same arguments (killing it if it runs) and waits until it is healthy. */
  async restart(component: ComponentName, signal?: AbortSignal): Promise<void> {
    if (this.#stopped !== undefined)
      throw new Error(`${component} cannot be started: this control plane stopped`);
    const found = this.#component(component);
    await found.kill('SIGKILL');
    if (component === 'kube-apiserver') await endTornLine(this.#parts.layout.auditLog);
    found.start();
    await found.waitUntilHealthy(signal);
  }

  /** Resolves when the API server says that it is ready. */
  async waitUntilReady(signal?: AbortSignal): Promise<void> {
    await poll(
      async () => (await this.#parts.api.send('/readyz')).status === 200,
      { what: 'the API server to be ready', timeout: readyTimeout },
      signal,
    );
  }

  /** Ends all processes and removes the directory; later calls wait for the first. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(): Promise<void> {
    const { components, layout, releaseDirectory } = this.#parts;
    await Promise.all([...components.values()].map((component) => component.kill('SIGKILL')));
    await this.#audit?.close();
    await rm(layout.directory, { recursive: true, force: true, maxRetries: 5 });
    await releaseDirectory();
  }

  #component(name: ComponentName): Component {
    const component = this.#parts.components.get(name);
    if (component === undefined) {
      const has = [...this.#parts.components.keys()].join(', ');
      throw new Error(`this control plane has no ${name}, only ${has}: see the options of startControlPlane`);
    }
    return component;
  }

  async #tool(name: 'kubectl' | 'helm', args: readonly string[], options: ToolOptions): Promise<string> {
    const { layout, env } = this.#parts;
    const { kubeconfig = this.kubeconfig, ...rest } = options;
    return outputOf(await controlPlaneBinary(name, { env }), args, {
      ...rest,
      env: {
        ...env,
        KUBECONFIG: kubeconfig,
        // kubectl and helm cache discovery by server address, which another control plane may get later.
        KUBECACHEDIR: join(layout.home, 'kube-cache'),
        HELM_CACHE_HOME: join(layout.home, 'helm-cache'),
        HELM_CONFIG_HOME: join(layout.home, 'helm-config'),
        HELM_DATA_HOME: join(layout.home, 'helm-data'),
      },
    });
  }
}

/** A line cut off by a kill must not garble the first line of the restarted server. */
async function endTornLine(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (size === 0) return;
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    if (buffer[0] !== 0x0a) await appendFile(path, '\n');
  } finally {
    await file.close();
  }
}
