/**
 * A stage on the real control plane: its own namespaces, and operator processes that watch only these. Time is real, so
 * long durations are replaced by short ones.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Client, kinds } from '@reloader/runtime';
import { CommandError } from '../control-plane/command.ts';
import { poll } from '../control-plane/poll.ts';
import { freePorts } from '../control-plane/ports.ts';
import { Chronicle } from './chronicle.ts';
import { PRODUCT } from './rbac.ts';
import { RealOperator } from './real-operator.ts';
import { type SlowLink, slowLink } from './slow-link.ts';
import type { NamespaceMeta, Operator, OperatorOptions, Permissions, SentRequest, Stage } from './stage.ts';
import type { Theatre } from './theatre.ts';

/** Settling is on, but short, so that its rules are tested here as well. */
const SETTLE = ['--settle=300ms', '--settle-max=2s'];
const QUIET_MS = 1_500;
const PROGRESS_MS = 30_000;
const LABEL = 'stage';

export class RealStage implements Stage {
  readonly kind = 'cluster';
  readonly namespace: string;
  readonly chronicle = new Chronicle();
  readonly operators: Operator[] = [];
  readonly #theatre: Theatre;
  readonly #id: string;
  readonly #leave: () => void;
  readonly #mark: number;
  readonly #links: SlowLink[] = [];

  static async set(theatre: Theatre, id: string): Promise<RealStage> {
    const mark = await theatre.cluster.audit.mark();
    const stage = new RealStage(theatre, id, mark);
    await stage.createNamespace(id);
    return stage;
  }

  private constructor(theatre: Theatre, id: string, mark: number) {
    this.#theatre = theatre;
    this.#id = id;
    this.#mark = mark;
    this.namespace = id;
    this.#leave = theatre.follow(this.chronicle);
  }

  get client(): Client {
    return this.#theatre.client;
  }

  async createNamespace(name: string, meta: NamespaceMeta = {}): Promise<string> {
    const full = this.#fullName(name);
    this.chronicle.include(full);
    await this.client.create(kinds.Namespace, {
      metadata: {
        name: full,
        labels: { ...meta.labels, [LABEL]: this.#id },
        annotations: { ...meta.annotations },
      },
    });
    // A pod is admitted only once its ServiceAccount exists.
    await poll(
      async () =>
        (await this.client.get(kinds.ServiceAccount, { namespace: full, name: 'default' })) !== undefined,
      { what: `the service account of ${full}`, timeout: 20_000 },
    );
    return full;
  }

  /** Stages share one cluster, so their namespaces begin with the stage's own, which is used as it is. */
  #fullName(name: string): string {
    return name === this.#id ? name : `${this.#id}-${name}`;
  }

  async startOperator(options: OperatorOptions = {}): Promise<Operator> {
    const name = options.name ?? 'reloader';
    const own = options.installation ?? 'reloader';
    const namespace = this.#fullName(own);
    if (!this.chronicle.namespaces.has(namespace)) await this.createNamespace(own);
    const permissions = options.permissions ?? PRODUCT;
    const account = await this.#theatre.cluster.serviceAccount(namespace, name, {
      rules: permissions.own,
      clusterRules: permissions.cluster,
    });
    const kubeconfig = await this.#far(account.kubeconfig, options.answerMs ?? 0);
    const [port = 0] = await freePorts(1);
    const operator = new RealOperator({
      program: this.#theatre.program,
      namespace,
      user: account.user,
      port,
      args: ['--kubeconfig', kubeconfig, ...SETTLE, ...this.#scope(options), ...(options.args ?? [])],
      env: {
        POD_NAMESPACE: namespace,
        POD_NAME: name,
        RELOADER_NAMESPACE: namespace,
        RELOADER_DEPLOYMENT_NAME: 'reloader',
        ...options.env,
      },
    });
    this.operators.push(operator);
    if (!options.unready) {
      const settled = async (): Promise<boolean> =>
        operator.failure !== undefined || (await operator.ready());
      await this.until('the operator to be ready', settled);
      if (operator.failure !== undefined) throw new Error(operator.failure);
    }
    return operator;
  }

  /** The same account over a slow connection. */
  async #far(kubeconfig: string, answerMs: number): Promise<string> {
    if (answerMs === 0) return kubeconfig;
    const text = await readFile(kubeconfig, 'utf8');
    const server = /https:\/\/[^\s"]+/.exec(text)?.[0] ?? '';
    const link = await slowLink(new URL(server), answerMs);
    this.#links.push(link);
    const file = `${kubeconfig}.${link.port}`;
    await writeFile(file, text.replace(server, `https://127.0.0.1:${link.port}`));
    return file;
  }

  /** Operators of other scenarios run at the same time: each is limited to its own namespaces. */
  #scope({ clusterWide, args = [], permissions }: OperatorOptions): string[] {
    if (clusterWide || args.some((word) => word.startsWith('--namespaces='))) return [];
    const reads = (permissions ?? PRODUCT).cluster.some(
      ({ resources, verbs }) => resources?.includes('namespaces') && verbs.includes('watch'),
    );
    if (reads) return [`--namespace-selector=${LABEL}=${this.#id}`];
    return [`--namespaces=${[...this.chronicle.namespaces].join(',')}`];
  }

  async permit({ namespace, user }: Operator, permissions: Permissions): Promise<void> {
    await this.#theatre.cluster.serviceAccount(namespace, user.split(':').at(-1) ?? '', {
      rules: permissions.own,
      clusterRules: permissions.cluster,
    });
  }

  until(what: string, holds: () => boolean | Promise<boolean>, withinMs = PROGRESS_MS): Promise<void> {
    return poll(holds, { what, timeout: withinMs, every: 25 });
  }

  async quiet(_virtualMs?: number, realMs = QUIET_MS): Promise<void> {
    const end = performance.now() + realMs;
    await poll(() => performance.now() >= end, { what: 'time to pass', timeout: realMs + 1_000 });
  }

  span(_virtual: string, real: string): string {
    return real;
  }

  now(): number {
    return Date.now();
  }

  async requests(): Promise<readonly SentRequest[]> {
    const users = new Set(this.operators.map(({ user }) => user));
    const entries = await this.#theatre.cluster.audit.since(this.#mark, {
      where: ({ user }) => users.has(user),
    });
    return entries.map(({ requestObject: body, received: at, ...rest }) => ({ ...rest, body, at }));
  }

  async undo(kind: string, name: string): Promise<void> {
    await this.#kubectl(['rollout', 'undo', `${kind.toLowerCase()}/${name}`]);
  }

  /** Controllers write to the same object all the time: retries after a conflict, as users do. */
  async replace(object: object): Promise<void> {
    await poll(async () => (await this.#kubectl(['replace', '-f', '-'], object)) !== '', {
      what: 'kubectl replace to get through',
      timeout: PROGRESS_MS,
    });
  }

  async apply(object: object): Promise<void> {
    await this.#kubectl(['apply', '-f', '-'], object);
  }

  async ready(timeout: string): Promise<string[]> {
    const args = ['wait', '--for=condition=Ready', `--timeout=${timeout}`, '--all', 'reloaderconfig'];
    const printed = await this.#kubectl(args).catch((error: unknown) => {
      if (error instanceof CommandError && error.stderr.includes('timed out waiting')) return error.stdout;
      throw error;
    });
    const met = [...printed.matchAll(/^[^/\n]+\/(\S+) condition met$/gm)];
    return met.map(([, name = '']) => name).sort();
  }

  async release(name: string, objects: readonly object[]): Promise<void> {
    const chart = join(this.#theatre.cluster.directory, `chart-${this.#id}-${name}`);
    await mkdir(join(chart, 'templates'), { recursive: true });
    await writeFile(join(chart, 'Chart.yaml'), `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n`);
    for (const [index, object] of objects.entries()) {
      await writeFile(join(chart, 'templates', `${index}.yaml`), JSON.stringify(object));
    }
    await this.#theatre.cluster.helm(['upgrade', '--install', name, chart, '-n', this.namespace]);
  }

  async end(): Promise<void> {
    await Promise.all(this.operators.map((operator) => operator.kill()));
    await Promise.all(this.#links.map((link) => link.close()));
    this.#leave();
    await Promise.all([...this.chronicle.namespaces].map((namespace) => this.#theatre.empty(namespace)));
  }

  #kubectl(args: readonly string[], input?: object): Promise<string> {
    return this.#theatre.cluster.kubectl(
      [...args, '-n', this.namespace],
      input === undefined ? {} : { input },
    );
  }
}
