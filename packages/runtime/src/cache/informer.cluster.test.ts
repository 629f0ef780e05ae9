import { afterEach, describe, expect, it } from 'vitest';
import { useControlPlane } from '../../../../test/control-plane/vitest.ts';
import { type Client, createClient, kinds, loadConfig, type ResourceType } from '../client/index.ts';
import { sleep, systemClock } from '../clock/clock.ts';
import { createRegistry } from '../metrics/registry.ts';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { metricValue } from '../testing/metric-value.ts';
import { checkConvergence } from './convergence.test.support.ts';
import { createInformer } from './create-informer.ts';
import { versions } from './harness.test.support.ts';
import { NamespacedInformer } from './namespaced-informer.ts';
import { Overlay } from './overlay.ts';
import { trackWrites } from './tracked-client.ts';
import { WriteTracker } from './write-tracker.ts';

const cluster = useControlPlane();
const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function clientFor(kubeconfig: string): Promise<Client> {
  const client = createClient({ config: await loadConfig({ kubeconfig }), userAgent: 'informer-test/1' });
  endings.push(() => client.close());
  return client;
}

const readers = (resources: readonly string[], group = '') => [
  { apiGroups: [group], resources, verbs: ['get', 'list', 'watch'] },
];

/** Runs until the end of the test. */
function run(informer: { run(signal: AbortSignal): Promise<void> }): void {
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  endings.push(() => {
    controller.abort();
    return running;
  });
}

async function eventually(
  check: () => boolean | Promise<boolean>,
  what: string,
  patienceMs = 60_000,
): Promise<void> {
  const end = systemClock.monotonic() + patienceMs;
  while (!(await check())) {
    if (systemClock.monotonic() > end) throw new Error(`Not within ${patienceMs / 1000} s: ${what}`);
    await sleep(systemClock, 50);
  }
}

const within = (ms: number): AbortSignal => AbortSignal.timeout(ms);
const quick = { backoff: { capMs: 2000 } };

describe('On a real API server', () => {
  it('the cache equals the server after 3 000 random writes and two kills of the server', async () => {
    const seed = Number(process.env.SEED ?? 1);
    process.stdout.write(`SEED=${seed}\n`);
    const admin = await clientFor(cluster().kubeconfig);
    const account = await cluster().serviceAccount('convergence-a', 'reader', {
      clusterRules: readers(['configmaps']),
    });
    await cluster().kubectl(['create', 'namespace', 'convergence-b']);
    const report = await checkConvergence({
      seed,
      writers: 4,
      writes: 3000,
      kills: 2,
      namespaces: ['convergence-a', 'convergence-b'],
      reader: await clientFor(account.kubeconfig),
      writer: admin,
      killAndRestart: async () => {
        await cluster().kill('kube-apiserver');
        await cluster().restart('kube-apiserver');
      },
    });
    expect(report.cached).toEqual(report.listed);
    expect(report.replayed).toEqual(report.listed);
    expect(report.faults).toEqual([]);
    expect(report.events).toBeGreaterThan(1000);
    expect(report.health.state.phase).toBe('watching');
  });

  it('fills the cache by a watch-list that equals a plain list, and by pages that do too', async () => {
    const account = await cluster().serviceAccount('lists', 'reader', {
      clusterRules: readers(['configmaps']),
    });
    const client = await clientFor(account.kubeconfig);
    const input = {
      apiVersion: 'v1',
      kind: 'List',
      items: Array.from({ length: 60 }, (_, index) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `item-${index}`, namespace: 'lists' },
      })),
    };
    await cluster().kubectl(['apply', '-f', '-'], { input });
    const log = createCapturingLogger('warn');
    const common = { client, type: kinds.ConfigMap, namespace: 'lists', logger: log.logger };
    const streamed = createInformer({ ...common, selfCheck: true });
    const paged = createInformer({ ...common, tuning: { watchList: false, pageSize: 7 } });
    const mark = await cluster().audit.mark();
    run(streamed);
    run(paged);
    await Promise.all([streamed.whenSynced(within(20_000)), paged.whenSynced(within(20_000))]);
    const { items } = await client.list(kinds.ConfigMap, { namespace: 'lists' });
    expect(versions(streamed.store.list())).toEqual(versions(items));
    expect(versions(paged.store.list())).toEqual(versions(items));
    const kindsSeen = new Set([...paged.store.list()].map(({ kind, apiVersion }) => `${apiVersion} ${kind}`));
    expect(kindsSeen).toEqual(new Set(['v1 ConfigMap']));
    const asked = await cluster().audit.since(mark, { user: account.user });
    const uris = asked.map(({ requestURI }) => requestURI);
    expect(uris.filter((uri) => uri.includes('limit=7'))).toHaveLength(Math.ceil(items.length / 7));
    expect(uris.some((uri) => uri.includes('sendInitialEvents=true'))).toBe(true);
    // The self-check lists exactly the version of the watch-list, and finds nothing. Older servers refuse the watch-list.
    const expected = (await cluster().servesWatchLists()) ? 'resourceVersionMatch=Exact' : 'limit=500';
    await eventually(async () => {
      const checks = await cluster().audit.since(mark, { user: account.user });
      return checks.some(({ requestURI }) => requestURI.includes(expected));
    }, `a request with ${expected}`);
    expect(log.entries).toEqual([]);
  });

  it('reads metadata alone where that is asked for', async () => {
    const account = await cluster().serviceAccount('metadata', 'reader', {
      clusterRules: readers(['secrets']),
    });
    await cluster().kubectl(['create', 'secret', 'generic', 'one', '-n', 'metadata', '--from-literal=a=b']);
    const informer = createInformer({
      client: await clientFor(account.kubeconfig),
      type: kinds.Secret,
      namespace: 'metadata',
      metadataOnly: true,
    });
    run(informer);
    await informer.whenSynced(within(20_000));
    await cluster().kubectl(['create', 'secret', 'generic', 'two', '-n', 'metadata', '--from-literal=a=b']);
    await eventually(() => informer.store.size === 2, 'the second secret is cached');
    for (const object of informer.store.list()) {
      expect(Object.keys(object).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
      expect(object.kind).toBe('Secret');
    }
  });

  it('says that reading is forbidden when RBAC is taken away, and recovers when it is given back', async () => {
    const give = (verbs: readonly string[]) =>
      cluster().serviceAccount('rbac', 'reader', {
        rules: [
          {
            apiGroups: [''],
            resources: verbs.length > 0 ? ['configmaps'] : ['pods'],
            verbs: ['get', 'list', 'watch'],
          },
        ],
      });
    const account = await give(['all']);
    const log = createCapturingLogger('info');
    const metrics = createRegistry();
    const informer = createInformer({
      client: await clientFor(account.kubeconfig),
      type: kinds.ConfigMap,
      namespace: 'rbac',
      logger: log.logger,
      metrics,
      tuning: quick,
    });
    run(informer);
    await informer.whenSynced(within(20_000));
    const held = informer.store.size;
    await give([]);
    // An open watch continues after the permission is removed; the next request is refused. Restarting the server
    // ends the watch now.
    await cluster().kill('kube-apiserver');
    await cluster().restart('kube-apiserver');
    await eventually(() => informer.health().state.phase === 'forbidden', 'the state is forbidden');
    expect(informer.store.size).toBe(held);
    expect(
      log.messages('warn').filter((line) => line.includes('Not allowed to read configmaps')),
    ).toHaveLength(1);
    const errors = { type: 'configmaps', reason: 'forbidden' };
    expect(metricValue(metrics, 'informer_watch_errors_total', errors)).toBeGreaterThan(0);
    await give(['all']);
    await cluster().kubectl(['create', 'configmap', 'after', '-n', 'rbac']);
    await eventually(
      () => informer.store.get({ namespace: 'rbac', name: 'after' }) !== undefined,
      'it reads again',
    );
    expect(informer.health().state.phase).toBe('watching');
    expect(log.messages('info')).toContain('Reading configmaps works again');
  });

  it('waits for a kind that is not defined yet, and forgets its objects when it is defined anew', async () => {
    const WIDGETS: ResourceType = {
      group: 'test.example',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
    };
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.test.example' },
      spec: {
        group: 'test.example',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    };
    const account = await cluster().serviceAccount('crd', 'reader', {
      clusterRules: readers(['widgets'], 'test.example'),
    });
    const informer = createInformer({
      client: await clientFor(account.kubeconfig),
      type: WIDGETS,
      tuning: quick,
    });
    const create = async (name: string): Promise<void> => {
      const widget = { apiVersion: 'test.example/v1', kind: 'Widget', metadata: { name, namespace: 'crd' } };
      await cluster().kubectl(['wait', '--for=condition=Established', 'crd/widgets.test.example']);
      await cluster().kubectl(['apply', '-f', '-'], { input: widget });
    };
    run(informer);
    await eventually(() => informer.health().state.phase === 'missing', 'the state is missing');
    expect(informer.synced).toBe(false);
    await cluster().kubectl(['apply', '-f', '-'], { input: definition });
    await create('first');
    await informer.whenSynced(within(30_000));
    await eventually(
      () => informer.store.get({ namespace: 'crd', name: 'first' }) !== undefined,
      'it is cached',
    );
    await cluster().kubectl(['delete', 'crd', 'widgets.test.example']);
    await eventually(() => informer.health().state.phase === 'missing', 'the state is missing again');
    await cluster().kubectl(['apply', '-f', '-'], { input: definition });
    await create('second');
    await eventually(
      () => informer.store.get({ namespace: 'crd', name: 'second' }) !== undefined,
      'it is cached',
    );
    expect([...informer.store.list()].map(({ metadata }) => metadata.name)).toEqual(['second']);
  });

  it('watches namespaces that come and go, and one that is forbidden blocks only itself', async () => {
    const account = await cluster().serviceAccount('scope-a', 'reader', { rules: readers(['configmaps']) });
    await cluster().kubectl(['create', 'namespace', 'scope-b']);
    for (const namespace of ['scope-a', 'scope-b'])
      await cluster().kubectl(['create', 'configmap', 'x', '-n', namespace]);
    const informer = new NamespacedInformer({
      client: await clientFor(account.kubeconfig),
      type: kinds.ConfigMap,
      namespaces: ['scope-a', 'scope-b'],
      tuning: quick,
    });
    run(informer);
    await informer.whenSynced(within(20_000));
    expect([informer.syncedIn('scope-a'), informer.syncedIn('scope-b')]).toEqual([true, false]);
    expect(informer.healthByNamespace().get('scope-b')?.state.phase).toBe('forbidden');
    expect(informer.store.get({ namespace: 'scope-a', name: 'x' })).toBeDefined();
    await cluster().serviceAccount('scope-a', 'reader', { clusterRules: readers(['configmaps']) });
    await eventually(() => informer.syncedIn('scope-b'), 'the second namespace is read');
    informer.setNamespaces(['scope-b']);
    expect(informer.store.get({ namespace: 'scope-a', name: 'x' })).toBeUndefined();
    expect(informer.store.get({ namespace: 'scope-b', name: 'x' })).toBeDefined();
  });

  it('shows own writes at once, and drops them when the watch delivers them', async () => {
    const account = await cluster().serviceAccount('own', 'writer', {
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }],
    });
    const plain = await clientFor(account.kubeconfig);
    const informer = createInformer({ client: plain, type: kinds.ConfigMap, namespace: 'own' });
    const overlay = new Overlay(informer);
    const tracker = new WriteTracker();
    tracker.attach(overlay);
    const client = trackWrites(plain, tracker);
    const foreign: string[] = [];
    run(informer);
    await informer.whenSynced(within(20_000));
    informer.addHandler(
      overlay.withoutOwn((event) => void foreign.push(`${event.type} ${event.object.metadata.name}`)),
    );
    foreign.length = 0;
    const key = { namespace: 'own', name: 'mine' };
    for (let round = 0; round < 30; round++) {
      const body = { data: { round: String(round) } };
      await client.apply(
        kinds.ConfigMap,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, ...body },
        { fieldManager: 'own' },
      );
      expect(overlay.store.get(key)?.data?.round).toBe(String(round));
    }
    await expect(tracker.waitFor(kinds.ConfigMap, key)).resolves.toBe('caught-up');
    expect(overlay.pending).toBe(0);
    await client.delete(kinds.ConfigMap, key);
    expect(overlay.store.get(key)).toBeUndefined();
    await expect(tracker.waitFor(kinds.ConfigMap, key)).resolves.toBe('caught-up');
    expect(foreign).toEqual(['delete mine']);
  });
});
