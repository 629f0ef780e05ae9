import { type ClientRequest, createClient, kinds, trackWrites } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import type { WorkloadRef } from '../model/workload.ts';
import { grantStakaterRules } from './stakater-rbac.test.support.ts';
import {
  AUTO,
  configMap,
  createNamespace,
  Deployments,
  deployment,
  type Harness,
  merge,
  type RunningWatch,
  settled,
  startHarness,
  startWatch,
} from './watch.test.support.ts';

const web: WorkloadRef = { kind: 'Deployment', namespace: 'default', name: 'web' };
const usesSettings = { annotations: AUTO, envFrom: [{ configMapRef: { name: 'settings' } }] };

interface Compat extends Harness {
  readonly watch: RunningWatch;
  /** `VERB resource namespace` of the operator's own requests since the last call. */
  sent(): string[];
}

/** The operator with exactly the permissions of Stakater's chart. */
async function underStakaterRules(prepare?: (harness: Harness) => Promise<unknown>): Promise<Compat> {
  const harness = await startHarness();
  const { cluster, clock } = harness;
  await grantStakaterRules(harness.client, 'reloader', 'default');
  await prepare?.(harness);
  cluster.addToken('reloader', { name: 'reloader', groups: [] });
  const sent: string[] = [];
  const client = createClient({
    transport: cluster.transport({ token: 'reloader' }),
    clock,
    interceptors: [
      (request, next) => {
        sent.push(lineOf(request));
        return next(request);
      },
    ],
  });
  const watch = await startWatch({ ...harness, client });
  await watch.requested();
  sent.splice(0);
  // Lists are delayed so that several requests share one.
  const requested = async (): Promise<string[]> => {
    await clock.advance(200);
    return watch.requested();
  };
  return { ...harness, watch: { ...watch, requested }, sent: () => sent.splice(0).sort() };
}

function lineOf({ verb, path }: ClientRequest): string {
  const [, namespace, plural] = /\/namespaces\/([^/]+)\/([^/?]+)/.exec(path) ?? [];
  return `${verb} ${plural ?? path} ${namespace ?? ''}`.trim();
}

const LISTS_OF_DEFAULT = ['cronjobs', 'daemonsets', 'deployments', 'jobs', 'statefulsets'].map(
  (plural) => `list ${plural} default`,
);

async function create(harness: Harness): Promise<void> {
  await harness.client.create(kinds.ConfigMap, configMap('settings', { a: '1' }));
  await harness.client.create(Deployments, deployment('web', usesSettings));
}

const change = ({ client }: Pick<Harness, 'client'>, value: string, namespace = 'default') =>
  client.patch(kinds.ConfigMap, { namespace, name: 'settings' }, merge({ data: { a: value } }));

describe("Under the rules of Stakater's chart", () => {
  it('every workload kind is listed, and those of others are unknown', async () => {
    const { watch, logger } = await underStakaterRules();
    expect([...watch.listedKinds].sort()).toEqual([
      'CronJob',
      'DaemonSet',
      'Deployment',
      'Job',
      'StatefulSet',
    ]);
    expect(watch.world.knows('Deployment')).toBe(true);
    expect(watch.world.knows('Rollout')).toBe(false);
    expect(watch.world.namespace('default')).toBeUndefined();
    expect(watch.world.inScope('default')).toBe(true);
    expect(logger.messages('warn')).toEqual([]);
    expect(logger.messages('info')).toHaveLength(1);
  });

  it('the permissions are known', async () => {
    const { watch } = await underStakaterRules();
    expect(watch.access.may('patch', Deployments)).toBe(true);
    expect(watch.access.may('patch', kinds.CronJob)).toBe(false);
    expect(watch.access.may('delete', kinds.Job)).toBe(true);
    expect(watch.access.denied).toContain('watch deployments.apps');
  });

  it('workloads are known from the start', async () => {
    const { watch } = await underStakaterRules(create);
    expect(watch.world.workload(web)?.annotations).toEqual(AUTO);
  });

  it('a change of a source lists its namespace once, then requests the concerned workloads', async () => {
    const compat = await underStakaterRules(create);
    const { watch, sent, client } = compat;
    await client.create(Deployments, deployment('newcomer', usesSettings));
    expect(await watch.requested()).toEqual([]);
    await change(compat, '2');
    expect(await watch.requested()).toEqual(['Deployment/default/newcomer', 'Deployment/default/web']);
    expect(sent()).toEqual(LISTS_OF_DEFAULT);
  });

  it('a burst of changes shares its lists', async () => {
    const compat = await underStakaterRules(create);
    for (let value = 2; value < 30; value++) await change(compat, String(value));
    await compat.watch.requested();
    expect(compat.sent()).toEqual(LISTS_OF_DEFAULT);
  });

  it('a change elsewhere lists only there', async () => {
    const compat = await underStakaterRules(async (harness) => {
      await create(harness);
      await createNamespace(harness, 'other');
      await harness.client.create(kinds.ConfigMap, configMap('settings', { a: '1' }, { namespace: 'other' }));
    });
    await change(compat, '2', 'other');
    expect(await compat.watch.requested()).toEqual([]);
    expect(new Set(compat.sent().map((line) => line.split(' ')[2]))).toEqual(new Set(['other']));
  });

  it('the next list detects deleted workloads', async () => {
    const compat = await underStakaterRules(create);
    await compat.client.delete(Deployments, web);
    expect(compat.watch.world.workload(web)).toBeDefined();
    await change(compat, '2');
    expect(await compat.watch.requested()).toEqual(['Deployment/default/web']);
    expect(compat.watch.world.workload(web)).toBeUndefined();
  });

  it('a list that fails is made again, and the change is not lost', async () => {
    const compat = await underStakaterRules(create);
    const { cluster, clock, client, watch } = compat;
    cluster.revokeToken('reloader');
    // The running watch of sources continues; only new requests fail.
    await change(compat, '2');
    expect(await watch.requested()).toEqual([]);
    cluster.addToken('reloader', { name: 'reloader', groups: [] });
    await clock.advance(5000);
    expect(await watch.requested()).toContain('Deployment/default/web');
    expect(await client.get(Deployments, web)).toBeDefined();
  });

  it('our own writes are visible at once, and after the next list too', async () => {
    const compat = await underStakaterRules(create);
    const { watch, client } = compat;
    const writer = trackWrites(client, watch.tracker);
    const annotations = { 'reloader.stakater.com/ledger': '{}' };
    await writer.patch(Deployments, web, merge({ metadata: { annotations } }));
    expect(watch.world.workload(web)?.annotations).toEqual({ ...AUTO, ...annotations });
    await change(compat, '2');
    await watch.requested();
    expect(watch.world.workload(web)?.annotations).toEqual({ ...AUTO, ...annotations });
  });

  it('a workload is read again on request', async () => {
    const { watch, client, clock } = await underStakaterRules(create);
    await client.patch(Deployments, web, merge({ spec: { replicas: 3 } }));
    expect(watch.world.workload(web)?.rollout.wanted).toBe(1);
    await settled(clock, watch.refresh(web));
    expect(watch.world.workload(web)?.rollout.wanted).toBe(3);
    await client.delete(Deployments, web);
    await settled(clock, watch.refresh(web));
    expect(watch.world.workload(web)).toBeUndefined();
  });

  it('a rollout that we began is followed to its end', async () => {
    const { watch, client, clock, sent } = await underStakaterRules(create);
    const writer = trackWrites(client, watch.tracker);
    const env = [{ name: 'STAKATER_SETTINGS_CONFIGMAP', value: 'x' }];
    const containers = [{ name: 'app', image: 'app', env }];
    await writer.patch(Deployments, web, merge({ spec: { template: { spec: { containers } } } }));
    await clock.advance(6000);
    expect(watch.world.workload(web)?.rollout.observedGeneration).toBe(0);
    const status = {
      observedGeneration: 2,
      replicas: 1,
      updatedReplicas: 1,
      availableReplicas: 1,
      readyReplicas: 1,
    };
    await client.patch(Deployments, web, merge({ status }), { subresource: 'status' });
    await clock.advance(6000);
    expect(watch.world.workload(web)?.rollout.updated).toBe(1);
    expect(await watch.requested()).toEqual(['Deployment/default/web']);
    sent();
    await clock.advance(60_000);
    expect(sent()).not.toContain('get deployments default');
  });
});

describe('Where nothing may be read', () => {
  it('the kind is unknown, with one line about it, and the rest works', async () => {
    const harness = await startHarness();
    const { cluster, clock, client: admin, logger } = harness;
    await create(harness);
    const rbac = 'rbac.authorization.k8s.io';
    const rules = [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'watch'] },
    ];
    await admin.create(kinds.ClusterRole, {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'little' },
      rules,
    } as object);
    await admin.create(kinds.ClusterRoleBinding, {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'little' },
      subjects: [{ kind: 'User', apiGroup: rbac, name: 'little' }],
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'little' },
    } as object);
    cluster.addToken('little', { name: 'little', groups: [] });
    const client = createClient({ transport: cluster.transport({ token: 'little' }), clock });
    const watch = await startWatch({ ...harness, client });
    expect(watch.world.source({ kind: 'Secret', namespace: 'default', name: 'a' })).toEqual({
      kind: 'unknown',
      why: 'Secrets may not be read',
    });
    expect(watch.world.source({ kind: 'ConfigMap', namespace: 'default', name: 'settings' }).kind).toBe(
      'present',
    );
    expect(watch.world.knows('StatefulSet')).toBe(false);
    expect(watch.world.workload(web)).toBeDefined();
    const about = logger.entries
      .filter(({ level }) => level === 'warn')
      .map(({ values }) => values?.resource);
    expect(about.sort()).toEqual([
      'cronjobs.batch',
      'daemonsets.apps',
      'jobs.batch',
      'secrets',
      'statefulsets.apps',
    ]);
  });
});
