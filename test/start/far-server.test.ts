/**
 * An operator that starts far from its API server: every answer takes 400 ms. It does not see changes before it
 * watches, so the number of sequential round trips counts, not the number of requests.
 */
import { createClient, kinds, sleep, type Transport, type TransportRequest } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';
import { startMinicluster } from '../../packages/minicluster/src/index.ts';
import { installDefinitions } from '../reloader/definitions.ts';
import { permitAccount } from '../reloader/permissions.ts';
import { PRODUCT, STAKATER } from '../reloader/rbac.ts';
import type { Permissions } from '../reloader/stage.ts';
import { VirtualOperator } from '../reloader/virtual-operator.ts';

const ANSWER_MS = 400;
const NAMESPACE = 'reloader';

/** Milliseconds from the start until the server first got a request for each of these paths. */
async function firstHeard(
  permissions: Permissions,
  paths: readonly string[],
  starts = 1,
): Promise<Record<string, number>> {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1 });
  const client = createClient({ transport: cluster.transport(), clock });
  await installDefinitions(client);
  await client.create(kinds.Namespace, { metadata: { name: NAMESPACE } });
  await permitAccount(client, NAMESPACE, 'reloader', permissions);
  await clock.advance(1_000);
  let heard: Record<string, number> = {};
  for (let number = 1; number <= starts; number += 1) {
    const token = `token-${number}`;
    cluster.addToken(token, { name: `system:serviceaccount:${NAMESPACE}:reloader`, groups: [] });
    const start = clock.now();
    heard = {};
    const near = cluster.transport({ token });
    const far: Transport = {
      close: () => near.close(),
      async request(request) {
        note(request);
        const answer = await near.request(request);
        await sleep(clock, ANSWER_MS);
        return answer;
      },
    };
    const note = ({ method, path }: TransportRequest): void => {
      const [bare = ''] = path.split('?');
      const isRead = method === 'GET' && paths.includes(bare);
      if (isRead) heard[bare] ??= clock.now() - start;
    };
    const operator = new VirtualOperator({
      clock,
      transport: far,
      namespace: NAMESPACE,
      name: 'reloader',
      user: `system:serviceaccount:${NAMESPACE}:reloader`,
      number,
      seed: number,
      args: ['--controllers=reloader'],
    });
    await clock.advance(10_000);
    await operator.kill();
  }
  return heard;
}

const SOURCES = ['/api/v1/secrets', '/api/v1/configmaps'];
/** Nothing is decided before they are read. */
const NOTES = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const DEPLOYMENTS = '/apis/apps/v1/deployments';

test.each([
  { role: 'its own role', permissions: PRODUCT, when: 'the first start', starts: 1, answers: 2 },
  { role: 'its own role', permissions: PRODUCT, when: 'a later start', starts: 2, answers: 1 },
  {
    role: "the role of Stakater's chart",
    permissions: STAKATER,
    when: 'the first start',
    starts: 1,
    answers: 2,
  },
  {
    role: "the role of Stakater's chart",
    permissions: STAKATER,
    when: 'a later start',
    starts: 2,
    answers: 1,
  },
])('with $role, at $when, it begins to watch and reads its notes after $answers answers', async (row) => {
  const { permissions, starts, answers } = row;
  const paths = [...SOURCES, NOTES, ...(permissions === PRODUCT ? [DEPLOYMENTS] : [])];
  const heard = await firstHeard(permissions, paths, starts);
  expect(Object.keys(heard).sort()).toEqual([...paths].sort());
  for (const path of paths) expect(heard[path], path).toBeLessThanOrEqual(answers * ANSWER_MS);
});
