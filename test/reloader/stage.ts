/**
 * Where a scenario plays: a cluster, a user with full rights and operators that come and go.
 *
 * Two implementations: `virtual-stage.ts` (minicluster, virtual clock, the operator in this process) and
 * `real-stage.ts` (the real control plane, the operator as a process of its own). A scenario sees only this.
 */
import type { Client, LogLevel } from '@reloader/runtime';
import type { PolicyRule } from '../control-plane/service-account.ts';
import type { Chronicle } from './chronicle.ts';

export interface OperatorOptions {
  /** As on the command line, after what the stage itself needs. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What its account may do; by default what the product asks for (`rbac.ts`). */
  readonly permissions?: Permissions;
  /** The whole cluster and not only this scenario's namespaces. Alone on its stage then. */
  readonly clusterWide?: boolean;
  /** The name of its account and, in elections, its identity. */
  readonly name?: string;
  /** Do not wait until it is ready. */
  readonly unready?: boolean;
  /** Of an installation of its own, in the namespace of this name. */
  readonly installation?: string;
  /** Milliseconds by which every answer of the server reaches it late. */
  readonly answerMs?: number;
}

export interface Permissions {
  /** Everywhere. */
  readonly cluster: readonly PolicyRule[];
  /** In the operator's own namespace. */
  readonly own: readonly PolicyRule[];
}

export interface LogLine {
  readonly level: LogLevel | string;
  readonly message: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** One running operator. */
export interface Operator {
  readonly namespace: string;
  /** The user name under which the server knows it. */
  readonly user: string;
  readonly log: readonly LogLine[];
  /** Everything it wrote, as text. */
  logText(): string;
  /** What a scrape gives. */
  metrics(): Promise<string>;
  /** `/readyz`. */
  ready(): Promise<boolean>;
  /** In order, as SIGTERM does. Resolves when it has ended; rejects if it ended with an error. */
  stop(): Promise<void>;
  /** As SIGKILL does: nothing more leaves it. */
  kill(): Promise<void>;
  /** Only of a process of its own. */
  signal?(name: NodeJS.Signals): void;
  /** It ended by itself. */
  readonly failure: string | undefined;
}

/** A write that an operator sent, and how it was answered. */
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
  /** The administrator's. */
  readonly client: Client;
  /** The scenario's own namespace. */
  readonly namespace: string;
  /** Every version of every object that matters here, from the beginning. */
  readonly chronicle: Chronicle;
  readonly operators: readonly Operator[];
  createNamespace(name: string, meta?: NamespaceMeta): Promise<string>;
  startOperator(options?: OperatorOptions): Promise<Operator>;
  /** Changes what the account of a running operator may do. */
  permit(operator: Operator, permissions: Permissions): Promise<void>;
  /** Resolves when `holds` does; fails after 30 s (virtual, or real) or `withinMs`. */
  until(what: string, holds: () => boolean | Promise<boolean>, withinMs?: number): Promise<void>;
  /** Lets time pass: so many virtual milliseconds, or so many real ones; by default until all that is due is done. */
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
  /** `kubectl wait reloaderconfig --for=condition=Ready --all --timeout=…`: the names of those that are, in order. */
  ready(timeout: string): Promise<string[]>;
  end(): Promise<void>;
}

export interface NamespaceMeta {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}
