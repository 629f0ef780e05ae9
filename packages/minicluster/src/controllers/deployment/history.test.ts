import { VirtualClock } from '@reloader/runtime/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Minicluster, startMinicluster } from '../../minicluster.ts';
import { BEHAVIOUR_ANNOTATION } from '../../model/behaviour.ts';
import { DEPLOYMENTS, REPLICA_SETS } from '../kind-refs.ts';
import type { Deployment, ReplicaSet } from '../types.ts';

let clock: VirtualClock;
let cluster: Minicluster;

const ref = { namespace: 'default', name: 'web' };
const REVISION = 'deployment.kubernetes.io/revision';

function apply(image: string, spec: Partial<Deployment['spec']> = {}): Promise<void> {
  const broken = { [BEHAVIOUR_ANNOTATION]: JSON.stringify({ fault: 'never-ready' }) };
  const template = {
    metadata: { labels: { app: 'web' }, ...(image.startsWith('broken') && { annotations: broken }) },
    spec: { containers: [{ name: 'main', image }] },
  };
  const existing = cluster.api.get(DEPLOYMENTS, ref) as Deployment | undefined;
  const wanted = { selector: { matchLabels: { app: 'web' } }, ...existing?.spec, template, ...spec };
  if (existing) cluster.api.update(DEPLOYMENTS, { ...existing, spec: wanted });
  else
    cluster.api.create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: ref,
      spec: wanted,
    });
  return clock.advance(10_000);
}

const sets = (): ReplicaSet[] => cluster.api.list(REPLICA_SETS, 'default') as ReplicaSet[];
const revisions = (): (string | undefined)[] =>
  sets()
    .map(({ metadata }) => metadata.annotations?.[REVISION])
    .sort();
const annotationsOf = (image: string) =>
  sets().find(({ spec }) => spec.template.spec.containers[0]?.image === image)?.metadata.annotations;

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await startMinicluster({ clock, seed: 1 });
  return () => cluster.stop();
});

describe('the history of a Deployment', () => {
  test('counts a ReplicaSet with pods that is not the current one', async () => {
    for (const image of ['web:1', 'web:2', 'web:3']) await apply(image, { revisionHistoryLimit: 2 });
    expect(revisions()).toEqual(['1', '2', '3']);
    await apply('web:4', { paused: true });
    expect(revisions()).toEqual(['2', '3']);
    await apply('web:4', { paused: true, revisionHistoryLimit: 0 });
    expect(revisions()).toEqual(['3']);
  });

  test('is kept until the rollout is complete', async () => {
    await apply('web:1', { replicas: 2, revisionHistoryLimit: 1 });
    await apply('web:2');
    await apply('broken:3', { revisionHistoryLimit: 0 });
    expect(revisions()).toEqual(['1', '2', '3']);
    await apply('web:4');
    expect(revisions()).toEqual(['4']);
  });

  test('remembers the numbers that a ReplicaSet had before it was rolled back to', async () => {
    for (const image of ['web:1', 'web:2', 'web:1', 'web:2', 'web:1']) await apply(image);
    expect(annotationsOf('web:1')).toMatchObject({
      [REVISION]: '5',
      'deployment.kubernetes.io/revision-history': '1,3',
    });
    expect(annotationsOf('web:2')).toMatchObject({
      [REVISION]: '4',
      'deployment.kubernetes.io/revision-history': '2',
    });
  });

  test('has ReplicaSets with the minReadySeconds of the Deployment, also when that goes back to none', async () => {
    await apply('web:1', { minReadySeconds: 5 });
    expect(sets()[0]?.spec.minReadySeconds).toBe(5);
    await apply('web:1', { minReadySeconds: 0 });
    expect(sets()[0]?.spec.minReadySeconds ?? 0).toBe(0);
  });
});
