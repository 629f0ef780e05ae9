import { VirtualClock } from '@reloader/runtime/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Minicluster, startMinicluster } from '../minicluster.ts';
import { BEHAVIOUR_ANNOTATION } from '../model/behaviour.ts';
import { DAEMON_SETS, PODS, REVISIONS } from './kind-refs.ts';
import type { ControllerRevision, DaemonSet, Pod } from './types.ts';

let clock: VirtualClock;
let cluster: Minicluster;

const ref = { namespace: 'default', name: 'agent' };
const live = (): DaemonSet => cluster.api.get(DAEMON_SETS, ref) as DaemonSet;
const images = (): (string | undefined)[] =>
  (cluster.api.list(PODS, 'default') as Pod[]).map(({ spec }) => spec.containers[0]?.image).sort();

function apply(image: string, spec: Partial<DaemonSet['spec']> = {}): Promise<void> {
  const broken = { [BEHAVIOUR_ANNOTATION]: JSON.stringify({ fault: 'never-ready' }) };
  const template = {
    metadata: { labels: { app: 'agent' }, ...(image.startsWith('broken') && { annotations: broken }) },
    spec: { containers: [{ name: 'main', image }] },
  };
  const existing = cluster.api.get(DAEMON_SETS, ref) as DaemonSet | undefined;
  const wanted = { selector: { matchLabels: { app: 'agent' } }, ...existing?.spec, template, ...spec };
  if (existing) cluster.api.update(DAEMON_SETS, { ...existing, spec: wanted });
  else
    cluster.api.create(DAEMON_SETS, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: ref,
      spec: wanted,
    });
  return clock.advance(10_000);
}

const surge = (maxSurge: number) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable: 0 } },
});
const replace = (maxUnavailable: number) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable } },
});

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = await startMinicluster({ clock, seed: 1, workloads: { nodes: 3 } });
  return () => cluster.stop();
});

describe('a DaemonSet', () => {
  test('that surges with pods that never become ready still counts the old ones', async () => {
    await apply('agent:1', surge(2));
    await apply('broken:2');
    expect(images()).toEqual(['agent:1', 'agent:1', 'agent:1', 'broken:2', 'broken:2']);
    expect(live().status).toMatchObject({ numberReady: 3, numberAvailable: 3 });
    expect(live().status).not.toHaveProperty('numberUnavailable');
    expect(live().status).not.toHaveProperty('updatedNumberScheduled');
  });

  test('that stops surging in the middle keeps the older pod of each node and goes on from there', async () => {
    await apply('agent:1', surge(2));
    await apply('broken:2');
    await apply('broken:2', replace(1));
    expect(images()).toEqual(['agent:1', 'agent:1', 'broken:2']);
  });

  test('replaces all pods that do not serve at once when it surges', async () => {
    await apply('agent:1', replace(3));
    await apply('broken:2', replace(3));
    await apply('agent:3', surge(1));
    expect(images()).toEqual(['agent:3', 'agent:3', 'agent:3']);
  });

  test('keeps as many old revisions as its limit says, those in use included', async () => {
    const revisions = (): number[] =>
      (cluster.api.list(REVISIONS, 'default') as ControllerRevision[]).map(({ revision }) => revision).sort();
    await apply('agent:1', { ...replace(1), revisionHistoryLimit: 1 });
    await apply('agent:2');
    await apply('agent:3');
    expect(revisions()).toEqual([2, 3]);
    await apply('broken:4');
    expect(images()).toEqual(['agent:3', 'agent:3', 'broken:4']);
    expect(revisions()).toEqual([3, 4]);
  });

  describe('with pods that are slow to stop', () => {
    const pods = (): Pod[] => cluster.api.list(PODS, 'default') as Pod[];
    beforeEach(() => {
      cluster.workloads?.script({ labels: { app: 'agent' }, behaviour: { stopMs: 5_000 } });
    });

    test('has never two on a node', async () => {
      await apply('agent:1', replace(1));
      let most = 0;
      cluster.api.subscribe(() => {
        most = Math.max(most, pods().length);
      });
      await apply('agent:2');
      await clock.advance(20_000);
      expect(images()).toEqual(['agent:2', 'agent:2', 'agent:2']);
      expect(most).toBe(3);
    });

    test('does not wait for them when it may surge', async () => {
      await apply('agent:1', surge(1));
      const [first] = pods();
      if (first) cluster.api.delete(PODS, first.metadata);
      await clock.advance(1_000);
      expect(pods()).toHaveLength(4);
    });
  });

  test('with surge and minReadySeconds moves on as soon as a new pod has served for long enough', async () => {
    await apply('agent:1', { ...surge(1), minReadySeconds: 2 });
    await apply('agent:2');
    expect(images()).toEqual(['agent:2', 'agent:2', 'agent:2']);
  });
});
