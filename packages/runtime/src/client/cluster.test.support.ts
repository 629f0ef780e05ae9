/** Shared by the suites against a real API server. */
import { expect } from 'vitest';
import type { Client } from './client.ts';
import type { ClusterConfig } from './config/cluster-config.ts';
import { type ConnectedClientOptions, createClient } from './create-client.ts';
import type { ConfigMapObject, PlainObject } from './kinds.ts';

export const ns = 'client-test';

/** The only permissions of the suites' service account. */
export const rules = [
  {
    apiGroups: [''],
    resources: ['configmaps', 'pods', 'pods/eviction'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  },
  {
    apiGroups: ['apps'],
    resources: ['deployments', 'deployments/scale', 'deployments/status'],
    verbs: ['get', 'create', 'update', 'patch', 'delete'],
  },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['create'] },
];

const clients: Client[] = [];

export function connect(to: ClusterConfig, settings: Omit<ConnectedClientOptions, 'config'> = {}): Client {
  const made = createClient({ config: to, fieldManager: 'client-test', ...settings });
  clients.push(made);
  return made;
}

export async function closeAll(): Promise<void> {
  await Promise.all(clients.map((one) => one.close()));
}

export const key = (name: string): { namespace: string; name: string } => ({ namespace: ns, name });

export const configMap = (name: string, data: Record<string, string> = {}): ConfigMapObject => ({
  metadata: { ...key(name), labels: { test: name } },
  data,
});

export const deployment = (name: string): PlainObject => ({
  metadata: key(name),
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'example.test/main' }] },
    },
  },
});

/** Returns the error it rejects with, and checks its class. */
export async function failure<E extends Error>(
  promise: Promise<unknown>,
  type: new (...args: never[]) => E,
): Promise<E> {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(type);
  return thrown as E;
}
