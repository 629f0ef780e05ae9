/** Shared by the measurements of PodConfigMapConfigs: pods in bulk, the controller, and a bare client. */
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ControlPlane, ServiceAccount } from '../../test/control-plane/control-plane.ts';
import { imageFlags } from '../../test/operator-start.ts';
import { type Post, sendAll } from '../fixtures.ts';
import { OPERATOR_NAMESPACE, type OperatorCommand, RunningOperator } from '../operator.ts';

/** As many concurrent requests as the controller makes. */
export const IN_FLIGHT = 64;
const SHORTEST_LOOK_MS = 10;
const LONGEST_LOOK_MS = 200;

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const OURS = `{node} ${imageFlags().join(' ')} ${file('packages/operator/bin/reloader.mjs')} --controllers=podconfig --http-bind-address=127.0.0.1:0 --kubeconfig {kubeconfig}`;

export async function installPodConfig(cluster: ControlPlane): Promise<ServiceAccount> {
  const definition = ['-f', file('crd/podconfigmapconfig_crd.yaml')];
  await cluster.kubectl(['apply', '--server-side', ...definition]);
  await cluster.kubectl(['wait', '--for=condition=Established', ...definition]);
  const rule = (group: string, resources: string[], verbs: string[]) => ({
    apiGroups: [group],
    resources,
    verbs,
  });
  // The same rules as manifests/rbac.yaml.
  return cluster.serviceAccount(OPERATOR_NAMESPACE, 'podconfig', {
    clusterRules: [
      rule('', ['pods'], ['list', 'watch']),
      rule('', ['configmaps'], ['get', 'list', 'watch', 'create', 'patch', 'delete']),
      rule('', ['events'], ['create', 'patch']),
      rule('podconfig.example.com', ['podconfigmapconfigs'], ['get', 'list', 'watch']),
      rule('podconfig.example.com', ['podconfigmapconfigs/status'], ['patch']),
    ],
    expirationSeconds: 6 * 3_600,
  });
}

export async function startPodConfig(
  { start }: OperatorCommand,
  { kubeconfig }: ServiceAccount,
): Promise<RunningOperator> {
  const running = new RunningOperator({ start: start ?? OURS }, kubeconfig);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await running.steady();
  return running;
}

/** Creates pods that are never scheduled, with the labels and annotations of a Deployment's pods. */
export async function createPods(cluster: ControlPlane, namespace: string, count: number): Promise<void> {
  await sendAll(cluster, [{ path: '/api/v1/namespaces', body: { metadata: { name: namespace } } }]);
  await sendAll(
    cluster,
    Array.from({ length: count }, (_, index) => ({
      path: `/api/v1/namespaces/${namespace}/pods`,
      body: {
        metadata: {
          name: `shop-7c5ddbdf54-${index}`,
          labels: { app: 'shop', 'pod-template-hash': '7c5ddbdf54', version: '1.2.3' },
          annotations: { build: 'build-12345', commit: 'abcdef123456', 'prometheus.io/scrape': 'true' },
        },
        spec: { containers: [{ name: 'app', image: 'nginx:1.27' }] },
      },
    })),
  );
}

export function configPost(namespace: string): Post {
  return {
    path: `/apis/podconfig.example.com/v1alpha1/namespaces/${namespace}/podconfigmapconfigs`,
    body: {
      apiVersion: 'podconfig.example.com/v1alpha1',
      kind: 'PodConfigMapConfig',
      metadata: { name: 'meta' },
      spec: {
        podSelector: { matchLabels: { app: 'shop' } },
        labelsToInclude: ['app', 'version'],
        annotationsToInclude: ['build', 'commit'],
        configMapDataTemplate: { line: '{{ .metadata.name }} runs {{ (index .spec.containers 0).image }}' },
      },
    },
  };
}

/**
 * Resolves when the namespace holds this many ConfigMaps.
 *
 * The reader shares the cores with the server and the controller, so it asks seldom and on one connection. It asks more
 * often towards the end, which it foresees from the rate so far.
 */
export async function untilConfigMaps(
  cluster: ControlPlane,
  namespace: string,
  count: number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: cluster.authority.certificate });
  let [at, had] = [performance.now(), 0];
  try {
    for (;;) {
      const has = await countConfigMaps(cluster, agent, namespace);
      if (has >= count) return;
      const now = performance.now();
      const msLeft = ((count - has) * (now - at)) / (has - had);
      [at, had] = [now, has];
      const wait = Math.min(LONGEST_LOOK_MS, Math.max(SHORTEST_LOOK_MS, msLeft / 2));
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  } finally {
    agent.destroy();
  }
}

async function countConfigMaps(cluster: ControlPlane, agent: Agent, namespace: string): Promise<number> {
  const url = `${cluster.server}/api/v1/namespaces/${namespace}/configmaps?limit=1`;
  const headers = { authorization: `Bearer ${cluster.adminToken}` };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { agent, headers }, resolve).on('error', reject).end();
  });
  const { items, metadata } = JSON.parse(await text(answer)) as {
    items: unknown[];
    metadata: { remainingItemCount?: number };
  };
  return items.length + (metadata.remainingItemCount ?? 0);
}

/** The floor: a bare client creates ConfigMaps of the same size. */
export async function createBare(cluster: ControlPlane, namespace: string, count: number): Promise<number> {
  await sendAll(cluster, [{ path: '/api/v1/namespaces', body: { metadata: { name: namespace } } }]);
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT, ca: cluster.authority.certificate });
  const headers = { authorization: `Bearer ${cluster.adminToken}`, 'content-type': 'application/json' };
  let next = 0;
  const began = performance.now();
  const worker = async (): Promise<void> => {
    while (next < count) {
      const body = JSON.stringify(bareConfigMap(namespace, `shop-7c5ddbdf54-${next++}`));
      await new Promise<void>((resolve, reject) => {
        const url = `${cluster.server}/api/v1/namespaces/${namespace}/configmaps`;
        const sent = request(url, { agent, method: 'POST', headers }, (response) => {
          response.resume().on('end', () => {
            if (response.statusCode === 201) resolve();
            else reject(new Error(`POST ${url} answered ${response.statusCode}`));
          });
        });
        sent.on('error', reject);
        sent.end(body);
      });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  agent.destroy();
  return performance.now() - began;
}

function bareConfigMap(namespace: string, pod: string): object {
  const uid = '6a4b7a52-6c9f-4f43-9a2b-0d8f3a0b1c2d';
  return {
    metadata: {
      name: `pod-${pod}-from-meta-cfg`,
      labels: {
        'podconfig.example.com/generated-by-bench': 'meta',
        'podconfig.example.com/pod-uid': uid,
      },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Pod', name: pod, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    data: {
      podName: pod,
      namespace,
      nodeName: '',
      phase: 'Pending',
      pcmcName: 'meta',
      label_app: 'shop',
      label_version: '1.2.3',
      annotation_build: 'build-12345',
      annotation_commit: 'abcdef123456',
      line: `${pod} runs nginx:1.27`,
    },
  };
}
