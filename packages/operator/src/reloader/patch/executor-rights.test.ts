/** Executors with missing rights, as with the roles of Stakater's chart. */
import { type Minicluster, startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, kinds } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KEPT_LABEL } from './kept-jobs.ts';
import {
  jobPod,
  NAMESPACE,
  never,
  OPERATOR_NAMESPACE,
  replicated,
  type Stage,
  workshop,
} from './stage.test.support.ts';

const clock = new VirtualClock();
let cluster: Minicluster;
let stage: Stage;

beforeEach(async () => {
  cluster = await startMinicluster({ clock, seed: 5 });
  stage = {
    client: createClient({ transport: cluster.transport(), clock }),
    clock,
    pass: (ms) => clock.advance(ms),
  };
  for (const name of [NAMESPACE, OPERATOR_NAMESPACE]) {
    await stage.client.create(kinds.Namespace, { metadata: { name } });
  }
  await clock.advance(5_000);
});

afterEach(() => cluster.stop());

/** A client with only these rights. */
async function limited(...rules: [group: string, resources: string[], verbs: string[]][]): Promise<Client> {
  cluster.addToken('limited', { name: 'limited', groups: [] });
  const metadata = { name: 'limited' };
  await stage.client.create(kinds.ClusterRole, {
    metadata,
    rules: rules.map(([group, resources, verbs]) => ({ apiGroups: [group], resources, verbs })),
  } as kinds.PlainObject);
  await stage.client.create(kinds.ClusterRoleBinding, {
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'limited' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'limited' }],
  } as kinds.PlainObject);
  return createClient({ transport: cluster.transport({ token: 'limited' }), clock });
}

describe('without the right', () => {
  it('to patch, nothing is written and the answer is forbidden', async () => {
    const here = workshop(stage, {}, await limited(['apps', ['deployments'], ['get']]));
    await here.create('Deployment', 'web', replicated('web', 1));
    expect((await here.executor.reload(await here.plan('Deployment', 'web'), never)).kind).toBe('forbidden');
  });

  it('to evict, the answer is forbidden and every pod stays', async () => {
    const client = await limited(['apps', ['deployments'], ['get', 'patch']], ['', ['pods'], ['list']]);
    const here = workshop(stage, {}, client);
    await here.create('Deployment', 'web', replicated('web', 1));
    const pods = await here.until('a pod', async () => {
      const all = await here.pods('web');
      return all.length > 0 && all;
    });
    await clock.advance(10_000);
    const outcomes = await here.drive('Deployment', 'web', { rolloutStrategy: 'restart' });
    expect(outcomes.at(-1)?.kind).toBe('forbidden');
    expect((await here.pods('web')).map(({ metadata }) => metadata.uid)).toEqual([pods[0]?.metadata.uid]);
  });

  it('to patch CronJobs, they are run all the same, because nothing is written to them', async () => {
    const client = await limited(['batch', ['cronjobs'], ['get', 'list']], ['batch', ['jobs'], ['create']]);
    const here = workshop(stage, {}, client);
    await here.create('CronJob', 'nightly', {
      schedule: '0 0 1 1 *',
      jobTemplate: { spec: { template: jobPod('nightly') } },
    });
    expect(await here.executor.reload(await here.plan('CronJob', 'nightly'), never)).toMatchObject({
      kind: 'done',
      changed: true,
      noteOnly: true,
    });
    const { items } = await here.client.list(kinds.Job, { namespace: NAMESPACE });
    expect(items).toHaveLength(1);
  });

  it("to do more than Stakater's chart grants, a Job is created anew and an empty manifest stays", async () => {
    const client = await limited(
      ['batch', ['jobs'], ['get', 'list', 'create', 'delete']],
      ['', ['configmaps'], ['get', 'list', 'watch', 'create', 'update']],
    );
    const here = workshop(stage, {}, client);
    const { metadata } = await here.create('Job', 'once', { suspend: true, template: jobPod('once') });
    expect(await here.executor.reload(await here.plan('Job', 'once'), never)).toMatchObject({
      kind: 'done',
      changed: true,
      noteOnly: true,
    });
    expect((await here.facts('Job', 'once')).metadata.uid).not.toBe(metadata.uid);
    const { items } = await here.client.list(kinds.ConfigMap, {
      namespace: OPERATOR_NAMESPACE,
      labelSelector: KEPT_LABEL,
    });
    expect(items.map((item) => [item.metadata.labels, item.data])).toEqual([
      [{ [KEPT_LABEL]: 'done' }, undefined],
    ]);
    expect(here.executor.hasInterruptedJobs).toBe(false);
  });

  it('to keep the manifest, a Job is not deleted', async () => {
    const client = await limited(['batch', ['jobs'], ['get', 'create', 'delete']]);
    const here = workshop(stage, {}, client);
    const { metadata } = await here.create('Job', 'once', { suspend: true, template: jobPod('once') });
    expect((await here.executor.reload(await here.plan('Job', 'once'), never)).kind).toBe('forbidden');
    expect((await here.facts('Job', 'once')).metadata.uid).toBe(metadata.uid);
  });
});
