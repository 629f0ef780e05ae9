/** Fixtures of the measurements: written once per cluster, with many concurrent requests. */

import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:https';
import type { ControlPlane } from '../test/control-plane/control-plane.ts';

const IN_FLIGHT = 32;

/** Creates `count` Secrets and as many ConfigMaps with one value of `bytes` bytes each, over 20 namespaces. */
export async function createSources(cluster: ControlPlane, count: number, bytes: number): Promise<void> {
  const namespaces = Array.from({ length: 20 }, (_, index) => `bench-${index}`);
  await sendAll(
    cluster,
    namespaces.map((name) => ({ path: '/api/v1/namespaces', body: { metadata: { name } } })),
  );
  const bodies = Array.from({ length: count }, (_, index) => {
    const metadata = { name: `source-${index}`, labels: { bench: 'source' } };
    const value = randomBytes(Math.ceil((bytes * 3) / 4));
    const base = `/api/v1/namespaces/${namespaces[index % namespaces.length]}`;
    return [
      { path: `${base}/secrets`, body: { metadata, data: { value: value.toString('base64') } } },
      { path: `${base}/configmaps`, body: { metadata, data: { value: value.toString('base64') } } },
    ];
  });
  await sendAll(cluster, bodies.flat());
}

export interface Post {
  readonly path: string;
  readonly body: object;
}

export async function sendAll(cluster: ControlPlane, posts: readonly Post[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT, ca: cluster.authority.certificate });
  const waiting = [...posts].reverse();
  const worker = async (): Promise<void> => {
    for (let post = waiting.pop(); post; post = waiting.pop()) await send(cluster, agent, post);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  agent.destroy();
}

function send(cluster: ControlPlane, agent: Agent, { path, body }: Post): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${cluster.server}${path}`,
      {
        agent,
        method: 'POST',
        headers: { authorization: `Bearer ${cluster.adminToken}`, 'content-type': 'application/json' },
      },
      (response) => {
        response.resume();
        response.on('end', () => {
          const { statusCode = 0 } = response;
          if (statusCode < 300 || statusCode === 409) resolve();
          else reject(new Error(`POST ${path} answered ${statusCode}`));
        });
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}
