/**
 * A stage with faults: minicluster and operators on one virtual clock, with faults in between. It can kill an operator
 * at any of its writes, answer its requests from a front end that lags, refuse requests, and lose, delay and cut
 * connections by seed. The user's own requests always pass.
 */
import {
  type ApiRequest,
  type ApiResponse,
  ConnectionLostError,
  createFaults,
  type FaultInjector,
  type FaultRates,
  type Handler,
  Replica,
  type Sink,
} from '@reloader/minicluster';
import { type Client, kinds } from '@reloader/runtime';
import { createRandom, type Random, type VirtualClock } from '@reloader/runtime/testing';
import { inProcessTransport } from '../../packages/minicluster/src/server/in-process.ts';
import type { Chronicle, ChronicleObject } from '../reloader/chronicle.ts';
import { DIGEST_KEY } from '../reloader/names.ts';
import { permitAccount } from '../reloader/permissions.ts';
import { PRODUCT } from '../reloader/rbac.ts';
import type {
  NamespaceMeta,
  Operator,
  OperatorOptions,
  Permissions,
  SentRequest,
  Stage,
} from '../reloader/stage.ts';
import { VirtualOperator } from '../reloader/virtual-operator.ts';
import { VirtualStage } from '../reloader/virtual-stage.ts';
import { describeRequest, isWrite } from './sent.ts';

/**
 * When an operator dies: before its write reaches the server, before it gets the answer, or before its next request.
 * `lost`: it survives, and the answer is lost.
 */
export type Moment = 'before' | 'unanswered' | 'answered' | 'lost';

export interface CrashPoint {
  /** Counted from 1, over all operators. */
  readonly write: number;
  readonly moment: Moment;
}

/** A request on its way to the server. */
export type Asked = ReturnType<typeof describeRequest>;

export interface StormOptions {
  readonly seed: number;
  readonly faults?: Partial<FaultRates>;
  readonly crash?: CrashPoint;
  /** Answers in place of the server; undefined lets the request pass. */
  readonly refuse?: (request: Asked) => ApiResponse | undefined;
  /** Each request of an operator is answered by one of three front ends, of which one is `replica`. */
  readonly fronts?: boolean;
}

export type StormOperatorOptions = OperatorOptions & {
  /** Milliseconds by which its clock is ahead of the server's. */
  readonly skewMs?: number;
};

const FRONT_ENDS = 3;

export const NAMESPACE = 'reloader';
/** The time that work between two looks at the clock takes on a busy machine, at most. */
const LONGEST_LOOK_MS = 2;
/** The virtual time of all storms of this process, in milliseconds: it never goes back. */
let played = Math.ceil(performance.now());
const RESTART_MS = 500;
/** An operator that ended by itself before it ran for so long is restarted with exponential backoff, as by a kubelet. */
const STABLE_MS = 10_000;
const LONGEST_RESTART_MS = 8_000;

export class Storm implements Stage {
  readonly kind = 'minicluster';
  readonly seed: number;
  /** Another front end than the user's; it can be held at an old revision. */
  readonly replica: Replica;
  /** The replica answers the operators. */
  stale = false;
  /** Operators and the server are disconnected. */
  parted = false;
  readonly faults: FaultInjector;
  readonly #stage: VirtualStage;
  readonly #options: StormOptions;
  readonly #sent: SentRequest[] = [];
  readonly #choices = new Map<VirtualOperator, StormOperatorOptions>();
  /** When each operator started, and how long its restart took. */
  readonly #starts = new Map<VirtualOperator, { readonly at: number; readonly after: number }>();
  /** The operator that dies at its next request. */
  #doomed: VirtualOperator | undefined;
  readonly #streams = new Set<Sink>();
  /** Saved, because the storm replaces `Math.random`, from which backoffs draw their jitter by default. */
  readonly #chance = Math.random;
  /** Saved, because the storm replaces it: work in pieces pauses by this clock, whatever else the machine does. */
  readonly #realTime = performance.now;
  /** Chooses the front end that answers. */
  readonly #balancer: Random;
  #writes = 0;
  #started = 0;
  #over = false;

  static async begin(options: StormOptions): Promise<Storm> {
    const storm = new Storm(await VirtualStage.set(options.seed), options);
    // As if installed earlier: the key, and with it every digest, is the same in every run of a seed.
    await storm.createNamespace(NAMESPACE);
    const data = { key: Buffer.alloc(32, 7).toString('base64') };
    await storm.client.create(kinds.Secret, { metadata: { namespace: NAMESPACE, name: DIGEST_KEY }, data });
    await storm.quiet(5_000);
    return storm;
  }

  private constructor(stage: VirtualStage, options: StormOptions) {
    this.#stage = stage;
    this.#options = options;
    this.seed = options.seed;
    const random = createRandom(options.seed);
    Math.random = () => random.next();
    const began = played;
    const busy = createRandom(options.seed + 2);
    let worked = 0;
    performance.now = () => {
      worked += busy.int(LONGEST_LOOK_MS + 1);
      played = began + Math.floor(stage.clock.monotonic()) + worked;
      return played;
    };
    this.#balancer = createRandom(options.seed + 1);
    // The judge has to know when a namespace was in scope.
    stage.chronicle.include('');
    stage.cluster.store.subscribe(({ type, object }) => {
      if (object.kind === 'Namespace')
        stage.chronicle.note(type, 'Namespace', object as unknown as ChronicleObject);
    });
    this.replica = new Replica(stage.cluster.store);
    this.faults = createFaults({ clock: stage.clock, seed: options.seed, rates: options.faults ?? {} });
  }

  get clock(): VirtualClock {
    return this.#stage.clock;
  }
  get client(): Client {
    return this.#stage.client;
  }
  get namespace(): string {
    return this.#stage.namespace;
  }
  get chronicle(): Chronicle {
    return this.#stage.chronicle;
  }
  get cluster(): VirtualStage['cluster'] {
    return this.#stage.cluster;
  }
  get operators(): readonly VirtualOperator[] {
    return this.#stage.operators as VirtualOperator[];
  }
  get alive(): readonly VirtualOperator[] {
    return this.operators.filter(({ isDead }) => !isDead);
  }
  get revision(): number {
    return this.#stage.cluster.store.revision;
  }
  /** Writes that operators tried, with any result. */
  get writes(): number {
    return this.#writes;
  }

  createNamespace(name: string, meta?: NamespaceMeta): Promise<string> {
    return this.#stage.createNamespace(name, meta);
  }

  async startOperator(choice: StormOperatorOptions = {}): Promise<VirtualOperator> {
    const { name = 'reloader', permissions = PRODUCT, unready } = choice;
    await permitAccount(this.client, NAMESPACE, name, permissions);
    const operator = this.launch(choice);
    if (!unready) await this.until('the operator to be ready', () => operator.ready());
    return operator;
  }

  /** Starts a new process; its account must exist already. */
  launch(choice: StormOperatorOptions = {}, after = 0): VirtualOperator {
    const { name = 'reloader', args = [], skewMs = 0 } = choice;
    const token = `storm-${++this.#started}`;
    const user = `system:serviceaccount:${NAMESPACE}:${name}`;
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`];
    this.cluster.addToken(token, { name: user, groups });
    const transport = inProcessTransport((request) => this.#answer(operator, request), { token });
    const operator: VirtualOperator = new VirtualOperator({
      clock: this.clock,
      transport,
      namespace: NAMESPACE,
      name,
      user,
      number: this.#started,
      seed: this.seed * 1_000 + this.#started,
      args,
      skewMs,
      onEnd: (ended) => this.#later(ended, {}, this.#backoffOf(ended)),
    });
    this.#stage.operators.push(operator);
    this.#choices.set(operator, choice);
    this.#starts.set(operator, { at: this.now(), after });
    return operator;
  }

  /** Breaks every watch of every operator. */
  cutWatches(): void {
    for (const sink of this.#streams) sink.fail(new ConnectionLostError('The connection broke'));
    this.#streams.clear();
  }

  /** Like a Deployment with one replica: the next operator starts a moment later. */
  replaceOperator(operator: VirtualOperator, changes: Partial<StormOperatorOptions> = {}): void {
    operator.strike();
    this.#later(operator, changes);
  }

  async permit(operator: Operator, permissions: Permissions): Promise<void> {
    await this.#stage.permit(operator, permissions);
  }
  until(what: string, holds: () => boolean | Promise<boolean>, withinMs?: number): Promise<void> {
    return this.#stage.until(what, holds, withinMs);
  }
  quiet(ms?: number): Promise<void> {
    return this.#stage.quiet(ms);
  }
  span(virtual: string): string {
    return virtual;
  }
  now(): number {
    return this.#stage.now();
  }
  async requests(): Promise<readonly SentRequest[]> {
    return this.#sent;
  }
  get sent(): readonly SentRequest[] {
    return this.#sent;
  }
  undo(kind: string, name: string): Promise<void> {
    return this.#stage.undo(kind, name);
  }
  replace(object: object): Promise<void> {
    return this.#stage.replace(object);
  }
  release(name: string, objects: readonly object[]): Promise<void> {
    return this.#stage.release(name, objects);
  }
  apply(object: object): Promise<void> {
    return this.#stage.apply(object);
  }
  ready(): Promise<string[]> {
    return this.#stage.ready();
  }
  async end(): Promise<void> {
    this.#over = true;
    Math.random = this.#chance;
    performance.now = this.#realTime;
    this.replica.release();
    await this.#stage.end();
  }

  #later(operator: VirtualOperator, changes: Partial<StormOperatorOptions> = {}, after = RESTART_MS): void {
    const choice = { ...this.#choices.get(operator), ...changes };
    this.clock.setTimeout(() => {
      if (!this.#over) this.launch(choice, after);
    }, after);
  }

  #backoffOf(operator: VirtualOperator): number {
    const { at = 0, after = 0 } = this.#starts.get(operator) ?? {};
    if (this.now() - at >= STABLE_MS) return RESTART_MS;
    return Math.min(LONGEST_RESTART_MS, Math.max(RESTART_MS, after * 2));
  }

  async #answer(operator: VirtualOperator, request: ApiRequest): Promise<ApiResponse> {
    if (operator === this.#doomed) {
      this.#execute(operator);
      throw new ConnectionLostError('The operator was killed before it asked again');
    }
    const about = describeRequest(request, operator.user, this.now());
    const fatal = isWrite(about) ? this.#fatalMoment() : undefined;
    if (fatal === 'before') {
      this.replaceOperator(operator);
      throw new ConnectionLostError('The operator was killed before its write was read');
    }
    if (this.parted) throw new ConnectionLostError('The network is down');
    const next: Handler = async (passed) => {
      const isBehind = this.#options.fronts === true && this.#balancer.int(FRONT_ENDS) === 0;
      const seen = this.stale || isBehind ? { ...passed, replica: this.replica } : passed;
      const answer = this.#options.refuse?.(about) ?? (await this.cluster.handler(seen));
      const { query: _, ...rest } = about;
      this.#sent.push({ ...rest, code: answer.status });
      return answer;
    };
    const answer = await this.faults.middleware(next)(request);
    if (fatal === 'unanswered' || fatal === 'lost') {
      if (fatal === 'unanswered') this.replaceOperator(operator);
      throw new ConnectionLostError('The connection broke before the answer arrived');
    }
    if (fatal === 'answered') {
      this.#doomed = operator;
      this.clock.setTimeout(() => this.#execute(operator), 1);
    }
    return this.#breakable(answer);
  }

  #breakable(answer: ApiResponse): ApiResponse {
    const { body } = answer;
    if (!('open' in body)) return answer;
    const open = (sink: Sink): (() => void) => {
      this.#streams.add(sink);
      const stop = body.open(sink);
      return () => {
        this.#streams.delete(sink);
        stop();
      };
    };
    return { ...answer, body: { open } };
  }

  #execute(operator: VirtualOperator): void {
    if (operator !== this.#doomed) return;
    this.#doomed = undefined;
    this.replaceOperator(operator);
  }

  #fatalMoment(): Moment | undefined {
    this.#writes += 1;
    const { crash } = this.#options;
    return crash?.write === this.#writes ? crash.moment : undefined;
  }
}
