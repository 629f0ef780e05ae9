/**
 * A stage in this process: minicluster and operators on one virtual clock. A seed determines the whole run; a pause of
 * 5 minutes takes milliseconds. Operators use the API with their own account, under RBAC, as in a real cluster.
 */
import { type ApiRequest, type Handler, type Minicluster, startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, kinds, sleep, type Transport } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { targetOf, verbOf } from './api-path.ts';
import { applyAsKubectl, applyAsRelease, readyConfigs, replaceWhole, undoRollout } from './by-api.ts';
import { Chronicle, type ChronicleObject } from './chronicle.ts';
import { installDefinitions } from './definitions.ts';
import { RECORDED } from './kinds.ts';
import { permitAccount } from './permissions.ts';
import { PRODUCT } from './rbac.ts';
import type { NamespaceMeta, Operator, OperatorOptions, Permissions, SentRequest, Stage } from './stage.ts';
import { VirtualOperator } from './virtual-operator.ts';

/** Longer than the longest settling, so that no work that is due is still in progress. */
const QUIET_MS = 15_000;
const PROGRESS_MS = 30_000;
const STEP_MS = 50;
const NAMESPACE = 'shop';

export class VirtualStage implements Stage {
  readonly kind = 'minicluster';
  readonly namespace = NAMESPACE;
  readonly clock: VirtualClock;
  readonly cluster: Minicluster;
  readonly client: Client;
  readonly chronicle = new Chronicle();
  readonly operators: Operator[] = [];
  readonly #sent: SentRequest[];
  readonly #users: Map<string, string>;
  #started = 0;

  static async set(seed = Number(process.env.SEED ?? 1)): Promise<VirtualStage> {
    const clock = new VirtualClock();
    const sent: SentRequest[] = [];
    const users = new Map<string, string>();
    const middleware =
      (next: Handler): Handler =>
      async (request) => {
        const answer = await next(request);
        const user = users.get(request.headers.authorization ?? '');
        if (user !== undefined) sent.push(noted(request, user, answer.status, clock.now()));
        return answer;
      };
    const cluster = await startMinicluster({ clock, seed, middleware: [middleware] });
    const stage = new VirtualStage(clock, cluster, sent, users);
    await installDefinitions(stage.client);
    await stage.createNamespace(NAMESPACE);
    await clock.advance(1_000);
    return stage;
  }

  private constructor(
    clock: VirtualClock,
    cluster: Minicluster,
    sent: SentRequest[],
    users: Map<string, string>,
  ) {
    this.clock = clock;
    this.cluster = cluster;
    this.#sent = sent;
    this.#users = users;
    this.client = createClient({
      transport: cluster.transport(),
      clock,
      fieldManager: 'user',
      userAgent: 'user',
    });
    const recorded = new Set(RECORDED.map(({ kind }) => kind));
    cluster.store.subscribe(({ type, object }) => {
      if (recorded.has(object.kind))
        this.chronicle.note(type, object.kind, object as unknown as ChronicleObject);
    });
  }

  async createNamespace(name: string, meta: NamespaceMeta = {}): Promise<string> {
    this.chronicle.include(name);
    await this.client.create(kinds.Namespace, {
      metadata: { name, labels: { ...meta.labels }, annotations: { ...meta.annotations } },
    });
    return name;
  }

  async startOperator(options: OperatorOptions = {}): Promise<Operator> {
    const name = options.name ?? 'reloader';
    const namespace = options.installation ?? 'reloader';
    if (!this.chronicle.namespaces.has(namespace)) await this.createNamespace(namespace);
    await permitAccount(this.client, namespace, name, options.permissions ?? PRODUCT);
    const token = `token-${++this.#started}`;
    const user = `system:serviceaccount:${namespace}:${name}`;
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
    this.cluster.addToken(token, { name: user, groups });
    this.#users.set(`Bearer ${token}`, user);
    const operator = new VirtualOperator({
      clock: this.clock,
      transport: this.#far(this.cluster.transport({ token }), options.answerMs ?? 0),
      namespace,
      name,
      user,
      number: this.#started,
      seed: this.#started,
      args: options.args ?? [],
      env: options.env ?? {},
    });
    this.operators.push(operator);
    if (!options.unready) await this.until('the operator to be ready', () => operator.ready());
    return operator;
  }

  #far(near: Transport, answerMs: number): Transport {
    if (answerMs === 0) return near;
    const later = (): Promise<void> => sleep(this.clock, answerMs);
    return {
      close: () => near.close(),
      async request(request) {
        const { body, ...answer } = await near.request(request);
        await later();
        return { ...answer, body: delayed(body, later) };
      },
    };
  }

  async permit({ namespace, user }: Operator, permissions: Permissions): Promise<void> {
    await permitAccount(this.client, namespace, user.split(':').at(-1) ?? '', permissions);
  }

  async until(what: string, holds: () => boolean | Promise<boolean>, withinMs = PROGRESS_MS): Promise<void> {
    const end = this.clock.monotonic() + withinMs;
    await this.clock.settle();
    while (!(await holds())) {
      if (this.clock.monotonic() >= end)
        throw new Error(`waited ${withinMs / 1000} virtual s in vain for ${what}`);
      await this.clock.advance(STEP_MS);
    }
  }

  quiet(ms = QUIET_MS): Promise<void> {
    return this.clock.advance(ms);
  }

  span(virtual: string): string {
    return virtual;
  }

  now(): number {
    return this.clock.now();
  }

  async requests(): Promise<readonly SentRequest[]> {
    return this.#sent;
  }

  async undo(kind: string, name: string): Promise<void> {
    await undoRollout(this.client, { kind, namespace: NAMESPACE, name });
  }

  replace(object: object): Promise<void> {
    return replaceWhole(this.client, object);
  }

  release(_name: string, objects: readonly object[]): Promise<void> {
    return applyAsRelease(this.client, objects);
  }

  apply(object: object): Promise<void> {
    return applyAsKubectl(this.client, object);
  }

  ready(): Promise<string[]> {
    return readyConfigs(this.client, NAMESPACE);
  }

  async end(): Promise<void> {
    for (const operator of this.operators) await operator.kill();
    await this.clock.settle();
    await this.cluster.stop();
  }
}

function noted({ method, path, body }: ApiRequest, user: string, code: number, at: number): SentRequest {
  const target = targetOf(path);
  const { group, resource, namespace, name, subresource } = target;
  const text = typeof body === 'string' ? body : body ? new TextDecoder().decode(body) : undefined;
  return {
    user,
    verb: verbOf(method, target),
    group,
    resource,
    subresource,
    namespace,
    name,
    code,
    body: text === undefined || text === '' ? undefined : (JSON.parse(text) as unknown),
    at,
  };
}

/** Delays each chunk by the same time, so the order stays. */
async function* delayed(
  body: AsyncIterable<Uint8Array>,
  later: () => Promise<void>,
): AsyncIterable<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const arrived: Promise<IteratorResult<Uint8Array>>[] = [];
  const pull = (): void => {
    const next = chunks.next();
    arrived.push(
      next.then(async (result) => {
        await later();
        return result;
      }),
    );
    next.then(
      ({ done }) => {
        if (!done) pull();
      },
      () => undefined,
    );
  };
  pull();
  try {
    for (let next = await arrived.shift(); next && !next.done; next = await arrived.shift()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}
