/** Creates Deployments and small sources in bulk, for a cluster of a given size. */
import type { ControlPlane } from '../test/control-plane/control-plane.ts';
import { type Post, sendAll } from './fixtures.ts';

const REQUESTED = 'reloader.stakater.com/auto';

export interface Used {
  /** ConfigMaps and Secrets in the Deployment's namespace that it uses. */
  readonly configMaps?: readonly string[];
  readonly secrets?: readonly string[];
}

/** A Deployment that opts in by annotation. */
export function deploymentPost(
  namespace: string,
  name: string,
  { configMaps = [], secrets = [] }: Used,
): Post {
  const labels = { app: name };
  const envFrom = [
    ...configMaps.map((source) => ({ configMapRef: { name: source } })),
    ...secrets.map((source) => ({ secretRef: { name: source } })),
  ];
  const containers = [{ name: 'main', image: 'registry.invalid/app', envFrom }];
  return {
    path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
    body: {
      metadata: { name, labels, annotations: { [REQUESTED]: 'true' } },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    },
  };
}

export const configMapPost = (namespace: string, name: string): Post => ({
  path: `/api/v1/namespaces/${namespace}/configmaps`,
  body: { metadata: { name }, data: { value: 'initial' } },
});

export const namespacePost = (name: string): Post => ({
  path: '/api/v1/namespaces',
  body: { metadata: { name } },
});

/** Used by every measurement of a single change: a ConfigMap, and the one Deployment that uses it. */
export const PROBE = { namespace: 'probe', configMap: 'probe', deployment: 'probe' } as const;

/** Nothing rolls out the pods of these Deployments, so what a controller would report is written here. */
export async function endProbeRollout(cluster: ControlPlane): Promise<void> {
  const { namespace, deployment } = PROBE;
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}`;
  const { metadata } = (await cluster.api.call(path)) as { metadata: { generation: number } };
  const count = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const body = { status: { observedGeneration: metadata.generation, ...count } };
  const contentType = 'application/merge-patch+json';
  const { status, body: answer } = await cluster.api.send(`${path}/status`, {
    method: 'PATCH',
    contentType,
    body,
  });
  if (status !== 200) throw new Error(`The end of a rollout cannot be written: ${answer}`);
}

export async function createProbe(cluster: ControlPlane): Promise<void> {
  const { namespace, configMap, deployment } = PROBE;
  await sendAll(cluster, [namespacePost(namespace)]);
  await sendAll(cluster, [
    configMapPost(namespace, configMap),
    deploymentPost(namespace, deployment, { configMaps: [configMap] }),
  ]);
}

/**
 * Grows the cluster from one size to another: small ConfigMaps and Deployments over 20 namespaces. Each Deployment uses
 * two ConfigMaps, so some have one user and some have none.
 */
export async function fill(cluster: ControlPlane, from: Size, to: Size): Promise<void> {
  const place = (index: number): string => `bulk-${index % 20}`;
  await sendAll(
    cluster,
    Array.from({ length: 20 }, (_, index) => namespacePost(place(index))),
  );
  const range = (start: number, end: number): number[] =>
    Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
  await sendAll(
    cluster,
    range(from.sources, to.sources).map((index) => configMapPost(place(index), `source-${index}`)),
  );
  await sendAll(
    cluster,
    range(from.workloads, to.workloads).map((index) =>
      deploymentPost(place(index), `app-${index}`, {
        // Both are in the same namespace: namespaces repeat every 20.
        configMaps: [`source-${index}`, `source-${index + 20}`],
      }),
    ),
  );
}

export interface Size {
  readonly sources: number;
  readonly workloads: number;
}
