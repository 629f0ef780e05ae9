import { type Client, ForbiddenError } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import { workloadFacts } from '../want/world.test.support.ts';
import { lookAtPods } from './pods.ts';

const never = new AbortController().signal;
const CREATED = '2030-01-01T00:00:00Z';
const CREATED_S = Date.parse(CREATED) / 1000;
const at = (seconds: number): string => new Date((CREATED_S + seconds) * 1000).toISOString();

interface Pod {
  readonly node?: string;
  readonly startedAfter?: number;
}

async function readSince({ node, startedAfter }: Pod): Promise<readonly number[]> {
  const pod = {
    metadata: {
      name: 'web-0',
      uid: 'pod',
      creationTimestamp: CREATED,
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true },
      ],
    },
    spec: node === undefined ? {} : { nodeName: node },
    status: startedAfter === undefined ? {} : { startTime: at(startedAfter) },
  };
  const client = { list: async () => ({ items: [pod], metadata: {} }) } as unknown as Client;
  const workload = workloadFacts({ kind: 'StatefulSet', uid: 'u' });
  return (await lookAtPods(client, workload, 'away', never)).readSince.map((second) => second - CREATED_S);
}

describe('since when a pod may have read its sources', () => {
  it.each<[string, Pod, readonly number[]]>([
    ['its creation', { node: 'n', startedAfter: 1 }, [0]],
    ['its creation, where it started soon after', { node: 'n', startedAfter: 30 }, [0]],
    ['30 s before its start, where that came late', { node: 'n', startedAfter: 90 }, [60]],
    ['its creation, while a kubelet may be starting it', { node: 'n' }, [0]],
    ['not at all, before it has a node', {}, []],
  ])('%s', async (_, pod, expected) => {
    expect(await readSince(pod)).toEqual(expected);
  });

  it('without the right to list pods: as long as the workload is there, or always', async () => {
    const forbidden = new ForbiddenError({ code: 403, reason: 'Forbidden', message: 'no' });
    const client = { list: () => Promise.reject(forbidden) } as unknown as Client;
    const workload = workloadFacts({ createdAt: 7 });
    expect((await lookAtPods(client, workload, 'away', never)).readSince).toEqual([7]);
    expect((await lookAtPods(client, workload, 'other-key', never)).readSince).toEqual([0]);
    expect((await lookAtPods(client, workload, 'there-and-back', never)).readSince).toEqual([]);
  });
});
