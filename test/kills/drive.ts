/**
 * Executes a plan: changes sources one after the other while it kills operators, the API server and etcd.
 *
 * A write is retried until the server accepts it, so each change of the plan happens exactly once in the history (a
 * repeated write has the same content). A source that is not hasty is changed again only after its workloads have the
 * previous change.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@reloader/runtime/testing';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { poll } from '../control-plane/poll.ts';
import type { Fleet, Source, Workload } from './fleet.ts';
import type { History } from './history.ts';
import { isReloaded } from './judge.ts';
import { collectionOf, contentPatch } from './manifests.ts';
import type { OperatorProcess } from './operator-process.ts';
import type { Step } from './plan.ts';
import type { Reach } from './reach.ts';

export interface DriveOptions {
  readonly cluster: ControlPlane;
  readonly fleet: Fleet;
  readonly history: History;
  /** All replicas; each kill of an operator hits one of them. */
  readonly operators: readonly OperatorProcess[];
  /** The longest time that a change may take: after that it counts as lost. */
  readonly patienceMs: number;
  readonly reach: Reach;
  readonly random: Random;
  readonly log: (line: string) => void;
}

const MERGE_PATCH = 'application/merge-patch+json';

export class Driver {
  readonly #options: DriveOptions;
  readonly #usersOf: ReadonlyMap<Source, readonly Workload[]>;
  #written = 0;
  /** Both resolve when the killed process runs again. */
  #server: Promise<void> = Promise.resolve();
  readonly #outages = new Map<OperatorProcess, Promise<void>>();
  serverKills = 0;
  etcdKills = 0;

  constructor(options: DriveOptions) {
    this.#options = options;
    const { sources, workloads } = options.fleet;
    const users = (source: Source) => workloads.filter((workload) => workload.sources.includes(source));
    this.#usersOf = new Map(sources.map((source) => [source, users(source)]));
  }

  /** Resolves when the whole plan was executed and everything that was killed runs again. */
  async carryOut(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await delay(step.delay);
      await this.#do(step);
    }
    await Promise.all([...this.#outages.values(), this.#server]);
  }

  async #do(step: Step): Promise<void> {
    const { fleet, random } = this.#options;
    switch (step.act) {
      case 'change':
        return this.#change(await this.#nextSource());
      case 'idle':
        return this.#change(random.pick(fleet.idleSources));
      case 'touch': {
        const metadata = { annotations: { touched: String(this.#written++) } };
        return this.#patch(pathOf(random.pick(fleet.sources)), { metadata });
      }
      case 'scale': {
        const scalable = fleet.workloads.filter(({ kind }) => kind !== 'DaemonSet');
        const { namespace, kind, name } = random.pick(scalable);
        const path = `/apis/apps/v1/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;
        return this.#patch(path, { spec: { replicas: 1 + random.int(3) } });
      }
      case 'kill-operator':
        // A kill that comes early hits the operator while it starts.
        this.#outage((operator) => this.#operatorOutage(operator, step.down));
        return;
      case 'kill-server':
        this.#serverDown(step.down, step.withOperator ? random.pick(this.#options.operators) : undefined);
        return;
      case 'kill-etcd':
        this.#server = this.#server.then(() => this.#etcdOutage(step.down));
        this.#server.catch(() => undefined);
        return;
    }
  }

  #outage(act: (operator: OperatorProcess) => Promise<void>): void {
    const operator = this.#options.random.pick(this.#options.operators);
    const before = this.#outages.get(operator) ?? Promise.resolve();
    this.#outages.set(
      operator,
      before.then(() => act(operator)),
    );
  }

  #serverDown(down: number, operator: OperatorProcess | undefined): void {
    const before = operator && this.#outages.get(operator);
    this.#server = Promise.all([this.#server, before]).then(() => this.#serverOutage(down, operator));
    if (operator) this.#outages.set(operator, this.#server);
    // The next write reports the failure.
    this.#server.catch(() => undefined);
  }

  async #change(source: Source): Promise<void> {
    await this.#patch(pathOf(source), contentPatch(source, `content-${this.#written++}`));
  }

  /** A random one of the sources that may be changed now. */
  async #nextSource(): Promise<Source> {
    const { fleet, history, random } = this.#options;
    const isDue = (source: Source): boolean =>
      source.hasty || (this.#usersOf.get(source) ?? []).every((workload) => isReloaded(workload, history));
    let due: Source[] = [];
    const look = () => {
      due = fleet.sources.filter(isDue);
      // Hasty sources are always due: they must not get all the changes when the others are slow.
      return due.some(({ hasty }) => !hasty);
    };
    await poll(look, { what: 'a workload to have its change', timeout: this.#options.patienceMs, every: 5 });
    return random.pick(due);
  }

  async #patch(path: string, body: object): Promise<void> {
    const { cluster, history, patienceMs: timeout } = this.#options;
    await this.#server;
    let revision = 0;
    const send = async () => {
      const { metadata } = await cluster.api.call(path, { method: 'PATCH', contentType: MERGE_PATCH, body });
      revision = Number((metadata as { resourceVersion: string }).resourceVersion);
      return true;
    };
    await poll(send, { what: `${path} to be changed`, timeout });
    // Until the history has the change, the source would seem to be due for another one.
    await poll(() => history.revision >= revision, { what: 'the history to show it', timeout, every: 2 });
  }

  async #operatorOutage(operator: OperatorProcess, down: number): Promise<void> {
    const { log, reach } = this.#options;
    log(`operator killed, back in ${down} ms`);
    reach.killed('operator');
    await operator.kill();
    await delay(down);
    operator.start();
  }

  async #etcdOutage(down: number): Promise<void> {
    const { cluster, log, reach } = this.#options;
    log(`etcd killed, started again in ${down} ms`);
    this.etcdKills += 1;
    reach.killed('etcd');
    await cluster.kill('etcd');
    await delay(down);
    await cluster.restart('etcd');
    await cluster.waitUntilReady();
    log('etcd healthy');
  }

  async #serverOutage(down: number, operator: OperatorProcess | undefined): Promise<void> {
    const { cluster, log, reach } = this.#options;
    log(`API server ${operator ? 'and operator ' : ''}killed, started again in ${down} ms`);
    this.serverKills += 1;
    reach.killed('server');
    if (operator) reach.killed('operator');
    await Promise.all([cluster.kill('kube-apiserver'), operator?.kill()]);
    await delay(down);
    // Before the server answers, and long before it has loaded its RBAC rules.
    operator?.start();
    await cluster.restart('kube-apiserver');
    log('API server healthy');
  }
}

const pathOf = (source: Source): string => `${collectionOf(source)}/${source.name}`;
