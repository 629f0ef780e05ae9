/**
 * The environment of a scenario: a cluster, a user with full permissions, and operators that start and stop.
 *
 * Two implementations: `virtual-stage.ts` (minicluster, virtual clock, the operator in this process) and
 * `real-stage.ts` (the real control plane, the operator in its own process). A scenario uses only this interface.
 */
import type { Client, LogLevel } from '@reloader/runtime';
import type { PolicyRule } from '../control-plane/service-account.ts';
import type { Chronicle } from './chronicle.ts';

export interface OperatorOptions {
  /** Command-line arguments, after those that the stage itself needs. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Permissions of its account; by default those that the product asks for (`rbac.ts`). */
  readonly permissions?: Permissions;
  /** Watches the whole cluster and not only this scenario's namespaces. No other scenario runs then. */
  readonly clusterWide?: boolean;
  /** The name of its account and its identity in elections. */
  readonly name?: string;
  /** Do not wait until it is ready. */
  readonly unready?: boolean;
  /** The namespace of another installation, to which this operator belongs. */
  readonly installation?: string;
  /** Milliseconds by which every answer of the server is delayed. */
  readonly answerMs?: number;
}

export interface Permissions {
  /** Permissions in all namespaces. */
  readonly cluster: readonly PolicyRule[];
  /** Permissions in the operator's own namespace. */
  readonly own: readonly PolicyRule[];
}

export interface LogLine {
  readonly level: LogLevel | string;
  readonly message: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Milliseconds since the epoch, by the server's clock; undefined on a real control plane. */
  readonly at?: number;
}

/** One running operator. */
export interface Operator {
  readonly namespace: string;
  /** Its user name on the API server. */
  readonly user: string;
  readonly log: readonly LogLine[];
  /** Its whole output, as text. */
  logText(): string;
  /** The text of a scrape. */
  metrics(): Promise<string>;
  /** `/readyz`. */
  ready(): Promise<boolean>;
  /** Shuts down in order, as on SIGTERM. Resolves when it has ended; rejects if it ended with an error. */
  stop(): Promise<void>;
  /** As SIGKILL does: it sends nothing more. */
  kill(): Promise<void>;
  /** Only if it runs in its own process. */
  signal?(name: NodeJS.Signals): void;
  /** The error with which it exited by itself. */
  readonly failure: string | undefined;
}

/** A request of an operator, and the status code of the answer. */
export interface SentRequest {
  readonly user: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  readonly body: unknown;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface Stage {
  readonly kind: 'minicluster' | 'cluster';
  /** The administrator's client. */
  readonly client: Client;
  /** The scenario's own namespace. */
  readonly namespace: string;
  /** Every version of every recorded object, from the beginning. */
  readonly chronicle: Chronicle;
  readonly operators: readonly Operator[];
  createNamespace(name: string, meta?: NamespaceMeta): Promise<string>;
  startOperator(options?: OperatorOptions): Promise<Operator>;
  /** Changes the permissions of a running operator's account. */
  permit(operator: Operator, permissions: Permissions): Promise<void>;
  /** Resolves when `holds` does; fails after 30 s (virtual, or real) or `withinMs`. */
  until(what: string, holds: () => boolean | Promise<boolean>, withinMs?: number): Promise<void>;
  /** Lets `virtualMs` or `realMs` pass; by default until all work that is due is done. */
  quiet(virtualMs?: number, realMs?: number): Promise<void>;
  /** A duration that is long in virtual time and short in real time. */
  span(virtual: string, real: string): string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** All requests of all operators here, reads included. */
  requests(): Promise<readonly SentRequest[]>;
  /** `kubectl rollout undo`. */
  undo(kind: string, name: string): Promise<void>;
  /** `kubectl replace`: the object as given, and nothing else. */
  replace(object: object): Promise<void>;
  /** `helm upgrade --install`: the objects as one release, in Helm's order. */
  release(name: string, objects: readonly object[]): Promise<void>;
  /** `kubectl apply`. */
  apply(object: object): Promise<void>;
  /** `kubectl wait reloaderconfig --for=condition=Ready --all --timeout=…`: the names of the ready ones, in order. */
  ready(timeout: string): Promise<string[]>;
  end(): Promise<void>;
}

export interface NamespaceMeta {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}
