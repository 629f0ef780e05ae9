/** A watch on a minicluster under a virtual clock, and its requests. */
import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import {
  type Client,
  createClient,
  type KubernetesObject,
  kindKeys,
  kinds,
  LOW_PRIORITY,
  type Patch,
  type ResourceType,
} from '@reloader/runtime';
import { type CapturingLogger, createCapturingLogger, VirtualClock } from '@reloader/runtime/testing';
import { onTestFinished } from 'vitest';
import { WORKLOAD_TYPES } from '../model/kinds.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { defaultSettings } from '../want/world.test.support.ts';
import { createWatch, surveyServer, type Watch, type WatchOptions } from './watch.ts';

export interface Request {
  readonly key: string;
  readonly cause: string;
  readonly low: boolean;
}

export interface Harness {
  readonly cluster: Minicluster;
  readonly clock: VirtualClock;
  /** A client with all permissions. */
  readonly client: Client;
  readonly logger: CapturingLogger;
}

export async function startHarness(): Promise<Harness> {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  onTestFinished(() => cluster.stop());
  const client = createClient({ transport: cluster.transport(), fieldManager: 'test', clock });
  return { cluster, clock, client, logger: createCapturingLogger() };
}

export interface RunningWatch extends Watch {
  /** Returns the keys requested since the last call, and clears them. */
  requested(): Promise<string[]>;
  /** The same as full requests. */
  requests(): Promise<Request[]>;
  stop(): Promise<void>;
}

/** A watch that is not started. */
export function newWatch(
  { clock, client, logger }: Harness,
  settings: Partial<ReloaderSettings> = {},
  overrides: Partial<WatchOptions> = {},
): Promise<Watch> {
  const options = {
    client,
    settings: defaultSettings(settings),
    clock,
    logger: logger.logger,
    digestKey: Buffer.alloc(32, 7),
    ...overrides,
  };
  const created = surveyServer(options).then((survey) => createWatch({ ...options, ...survey }));
  return settled(clock, created);
}

export async function startWatch(
  harness: Harness,
  settings: Partial<ReloaderSettings> = {},
  overrides: Partial<WatchOptions> = {},
): Promise<RunningWatch> {
  const { clock } = harness;
  const watch = await newWatch(harness, settings, overrides);
  const seen: Request[] = [];
  for (const source of watch.sources) {
    source.attach({
      enqueue: (request, { priority, cause }) =>
        seen.push({
          key: kindKeys.encode(request),
          cause: `${cause.event} ${cause.source}`,
          low: priority === LOW_PRIORITY,
        }),
      report: (error) => {
        throw error;
      },
    });
  }
  const ending = new AbortController();
  const signals = { stopping: ending.signal, abort: ending.signal };
  const running = Promise.all(watch.runnables.map((runnable) => runnable.start(signals)));
  const stop = async (): Promise<void> => {
    ending.abort();
    await running;
  };
  onTestFinished(stop);
  await settled(clock, watch.whenSynced());
  const requests = async (): Promise<Request[]> => {
    await clock.settle();
    await clock.settle();
    return seen.splice(0);
  };
  return {
    ...watch,
    requests,
    requested: async () => [...new Set((await requests()).map(({ key }) => key))].sort(),
    stop,
  };
}

/** Waits for the cluster's answer: that takes turns of the event loop and no virtual time. */
export async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let done = false;
  const end = (): void => {
    done = true;
  };
  promise.then(end, end);
  for (let turn = 0; turn < 1000 && !done; turn++) await clock.settle();
  return promise;
}

export async function createNamespace(
  { client }: Harness,
  name: string,
  labels: Record<string, string> = {},
): Promise<void> {
  await client.create(kinds.Namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
  });
}

export function configMap(name: string, data: Record<string, string>, metadata: object = {}) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name, ...metadata }, data };
}

export function secret(name: string, data: Record<string, string>, metadata: object = {}) {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name, ...metadata },
    data: Object.fromEntries(encoded) as Record<string, string>,
  };
}

export interface DeploymentParts {
  readonly annotations?: Record<string, string>;
  readonly templateAnnotations?: Record<string, string>;
  readonly env?: object[];
  readonly envFrom?: object[];
  readonly volumes?: object[];
  readonly namespace?: string;
}

export function deployment(name: string, parts: DeploymentParts = {}): KubernetesObject {
  const { annotations = {}, templateAnnotations, env, envFrom, volumes, namespace = 'default' } = parts;
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name, annotations },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, ...(templateAnnotations && { annotations: templateAnnotations }) },
        spec: {
          ...(volumes && { volumes }),
          containers: [{ name: 'app', image: 'app', ...(env && { env }), ...(envFrom && { envFrom }) }],
        },
      },
    },
  } as KubernetesObject;
}

export const AUTO = { 'reloader.stakater.com/auto': 'true' };
export const Deployments = WORKLOAD_TYPES.Deployment;

export function merge(body: object): Patch {
  return { type: 'merge', body };
}

/** Installs a CustomResourceDefinition that preserves unknown fields. */
export async function installCrd({ client, clock }: Harness, type: ResourceType): Promise<void> {
  const { group, version, plural, kind } = type;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await client.create(kinds.CustomResourceDefinition, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema }],
    },
  });
  await clock.settle();
}
