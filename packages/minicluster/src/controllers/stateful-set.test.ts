import { VirtualClock } from '@reloader/runtime/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Minicluster, startMinicluster } from '../minicluster.ts';
import { BEHAVIOUR_ANNOTATION } from '../model/behaviour.ts';
import { PODS, REVISIONS, STATEFUL_SETS } from './kind-refs.ts';
import type { ControllerRevision, StatefulSet } from './types.ts';

let clock: VirtualClock;
let cluster: Minicluster;

const ref = { namespace: 'default', name: 'db' };
const names = (): string[] => cluster.api.list(PODS, 'default').map(({ metadata }) => metadata.name);

async function apply(image: string, spec: Partial<StatefulSet['spec']> = {}): Promise<void> {
  const broken = { [BEHAVIOUR_ANNOTATION]: JSON.stringify({ fault: 'never-ready' }) };
  const template = {
    metadata: { labels: { app: 'db' }, ...(image.startsWith('broken') && { annotations: broken }) },
    spec: { containers: [{ name: 'main', image }] },
  };
  const existing = cluster.api.get(STATEFUL_SETS, ref) as StatefulSet | undefined;
  const wanted = { selector: { matchLabels: { app: 'db' } }, ...existing?.spec, template, ...spec };
  if (existing) cluster.api.update(STATEFUL_SETS, { ...existing, spec: wanted });
  else
    cluster.api.create(STATEFUL_SETS, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: ref,
      spec: wanted,
    });
  await clock.advance(10_000);
}

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await startMinicluster({ clock, seed: 1 });
  return () => cluster.stop();
});

describe('a StatefulSet that is scaled down in order', () => {
  test('takes a pod that does not serve when all below it do', async () => {
    await apply('db:1', { replicas: 3 });
    await apply('broken:2');
    await apply('broken:2', { replicas: 0 });
    expect(names()).toEqual([]);
  });

  test('waits for ever when another one below does not serve either', async () => {
    await apply('db:1', { replicas: 3 });
    await apply('broken:2');
    cluster.api.delete(PODS, { ...ref, name: 'db-0' });
    await clock.advance(10_000);
    await apply('broken:2', { replicas: 0 });
    expect(names()).toEqual(['db-0', 'db-1', 'db-2']);
  });

  test('takes them all when it manages its pods in parallel', async () => {
    await apply('db:1', { replicas: 3, podManagementPolicy: 'Parallel' });
    await apply('broken:2');
    cluster.api.delete(PODS, { ...ref, name: 'db-0' });
    await clock.advance(10_000);
    await apply('broken:2', { replicas: 0 });
    expect(names()).toEqual([]);
  });
});

test('the history of a StatefulSet does not count revisions that pods still run', async () => {
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } };
  await apply('db:1', { replicas: 2, updateStrategy, revisionHistoryLimit: 1 });
  await apply('db:2');
  await apply('db:3');
  const revisions = (): number[] =>
    (cluster.api.list(REVISIONS, 'default') as ControllerRevision[]).map(({ revision }) => revision).sort();
  expect(revisions()).toEqual([1, 2, 3]);
  await apply('db:4');
  expect(revisions()).toEqual([1, 3, 4]);
});
