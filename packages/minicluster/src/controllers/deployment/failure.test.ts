/** The Deployment controller alone, with ReplicaSets whose status the test writes. */
import { VirtualClock } from '@reloader/runtime/testing';
import { expect, test } from 'vitest';
import { startMinicluster } from '../../minicluster.ts';
import { runControllers, type Simulation } from '../controller.ts';
import { DEPLOYMENTS, REPLICA_SETS } from '../kind-refs.ts';
import { OwnedIndex } from '../owned.ts';
import type { Deployment } from '../types.ts';
import { deploymentController } from './controller.ts';

test('a Deployment says that its ReplicaSet cannot create pods, until it can', async () => {
  const clock = new VirtualClock();
  const { api, stop } = await startMinicluster({ clock, seed: 1, workloads: false });
  const simulation: Simulation = { api, clock, owned: new OwnedIndex() };
  const end = runControllers(simulation, [deploymentController(simulation)], {
    existing: [],
    onError: (...error) => expect(error).toBeUndefined(),
  });
  const ref = { namespace: 'default', name: 'web' };
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'main', image: 'web' }] },
  };
  const spec = { selector: { matchLabels: { app: 'web' } }, template };
  api.create(DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: ref, spec });
  await clock.advance(100);

  const report = async (conditions: object[]): Promise<string[] | undefined> => {
    const [set] = api.list(REPLICA_SETS, 'default');
    if (set) api.updateStatus(REPLICA_SETS, { ...set, status: { replicas: 0, conditions } });
    await clock.advance(100);
    return (api.get(DEPLOYMENTS, ref) as Deployment).status?.conditions?.map(({ type }) => type).sort();
  };
  const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'no room' };
  expect(await report([failure])).toEqual(['Available', 'Progressing', 'ReplicaFailure']);
  expect(await report([])).toEqual(['Available', 'Progressing']);
  end();
  await stop();
});
