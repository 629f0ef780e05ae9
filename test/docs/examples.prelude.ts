/** Declarations that the examples of the reference assume: the rest of the reader's program. */
import type {
  ClusterConfig,
  Controller,
  Informer,
  InformerCache,
  KubernetesObject,
  kinds,
  LeaseElector,
  Manager,
  ObjectKey,
  Operator,
  PolicyRule,
  ReconcileContext,
  ResourceType,
  StandardStatus,
  Stored,
  WorkQueue,
} from '@reloader/runtime';
import type { Kind } from '@reloader/runtime/kind';
import type { VirtualClock } from '@reloader/runtime/testing';

export type { EventWriter, KubernetesObject, Reconciler } from '@reloader/runtime';

export interface WebApp extends KubernetesObject {
  spec: { host?: string; replicas?: number };
  status?: StandardStatus;
}
interface Pod extends KubernetesObject {
  spec: { nodeName: string };
}
interface Bucket extends KubernetesObject {
  spec: { name: string };
}
interface GreetingObject extends KubernetesObject {
  spec: { who: string };
  status?: StandardStatus;
}

export declare const client: import('@reloader/runtime').Client;
export declare const leaseClient: import('@reloader/runtime').Client;
export declare const clock: VirtualClock;
export declare const logger: import('@reloader/runtime').Logger;
export declare const metrics: ReturnType<typeof import('@reloader/runtime').createRegistry>;
export declare const manager: Manager;
export declare const cache: InformerCache;
export declare const controller: Controller;
export declare const elector: LeaseElector;
export declare const config: ClusterConfig;
export declare const queue: WorkQueue;
export declare const signal: AbortSignal;
export declare const namespace: string;
export declare const name: string;
export declare const key: ObjectKey;
export declare const context: ReconcileContext;
export declare const status: StandardStatus;
export declare const rules: readonly PolicyRule[];
export declare const greetings: Operator;
export declare const stop: AbortController;
export declare const running: Promise<void>;
export declare const expect: typeof import('vitest').expect;

export declare const WebApps: ResourceType<WebApp>;
export declare const PODS: ResourceType<Pod>;
export declare const Buckets: ResourceType<Bucket>;
export declare const Greeting: ResourceType<GreetingObject> & Pick<Kind<GreetingObject>, 'crd'>;
export declare const app: Stored<WebApp>;
export declare const secret: Stored<kinds.SecretObject> | undefined;

export declare const webApps: Informer<Stored<WebApp>>;
export declare const deployments: Informer<Stored<KubernetesObject>>;
export declare const configMaps: Informer<Stored<kinds.ConfigMapObject>>;

export declare function webAppsUsing(configMap: Stored<kinds.ConfigMapObject>): Iterable<ObjectKey>;
export declare function ensureDeployment(app: Stored<WebApp>, signal?: AbortSignal): Promise<void>;
export declare function ensureBucket(name: string): Promise<void>;
export declare function deleteBucket(name: string): Promise<boolean>;
