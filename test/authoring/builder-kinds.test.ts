/** The builder with kinds that are not the usual namespaced custom resource: cluster-scoped, built-in, seen twice. */
import { startMinicluster } from '@reloader/minicluster';
import {
  ConfigurationError,
  createClient,
  createRegistry,
  ForbiddenError,
  findCondition,
  type KubernetesObject,
  kinds,
  labelsChanged,
  type Operator,
  operator,
  type ResourceType,
} from '@reloader/runtime';
import { defineKind, Type } from '@reloader/runtime/kind';
import {
  assertRights,
  createCapturingLogger,
  eventually,
  installCrd,
  metricValue,
  recordRights,
  recordWrites,
  runOperator,
  settle,
  VirtualClock,
} from '@reloader/runtime/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const Tenant = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Tenant',
  scope: 'Cluster',
  description: 'A team with a namespace.',
  spec: Type.Object({ settings: Type.Optional(Type.String()) }),
});
const Events: ResourceType<KubernetesObject & { reason?: string; message?: string; type?: string }> =
  kinds.CoreEvent;
const tenant = { name: 'blue' };
const shop = { namespace: 'default', name: 'shop' };

async function openWorld() {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1 });
  const client = createClient({ transport: cluster.transport(), clock });
  const writes = recordWrites(client);
  const rights = recordRights(writes.client);
  const metrics = createRegistry();
  const { logger, entries } = createCapturingLogger();
  const ends: (() => Promise<void>)[] = [];
  const wait = <R>(promise: Promise<R>): Promise<R> => settle(clock, promise);
  await wait(installCrd(client, Tenant.crd(), { clock }));
  return {
    ...{ clock, cluster, client, writes, rights, metrics, entries, ends, wait },
    run(declared: Operator) {
      const running = runOperator(declared, { client: rights.client, clock, metrics, logger });
      ends.unshift(() => running.stop());
    },
    until: (check: () => Promise<void> | void) => eventually(clock, check, { withinMs: 60_000 }),
    ready: async () =>
      findCondition((await client.get(Tenant, tenant)).status?.conditions, 'Ready') ?? { status: 'none' },
    events: async () => {
      const { items } = await client.list(Events);
      return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
    },
  };
}

let world: Awaited<ReturnType<typeof openWorld>>;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(async () => {
  for (const end of world.ends) await end();
  await settle(world.clock, world.cluster.stop());
});

describe('a cluster-scoped object', () => {
  test('has children in namespaces, which come back, and which it removes', async () => {
    const { client, wait, until, rights } = world;
    const child = { namespace: 'blue', name: 'limits' };
    const tenants = operator(Tenant)
      .owns(kinds.Namespace)
      .owns(kinds.ConfigMap)
      .reconcile(async ({ object: { metadata, spec }, ensure, remove }) => {
        await ensure(kinds.Namespace, metadata.name, () => undefined);
        if (spec.settings === 'none') await remove(kinds.ConfigMap, child);
        else
          await ensure(kinds.ConfigMap, child, (draft) => {
            draft.data = { pods: '5' };
          });
      });
    world.run(tenants);
    await wait(client.create(Tenant, { metadata: tenant, spec: {} }));
    await until(async () => expect((await world.ready()).status).toBe('True'));
    await wait(client.delete(kinds.ConfigMap, child));
    await until(async () => expect((await client.get(kinds.ConfigMap, child)).data).toEqual({ pods: '5' }));
    const none = { type: 'merge', body: { spec: { settings: 'none' } } } as const;
    await wait(client.patch(Tenant, tenant, none));
    await until(() => expect(client.get(kinds.ConfigMap, child)).rejects.toThrow('not found'));
    assertRights(tenants.rules(), rights.used);
  });
});

describe('a kind that is both owned and watched', () => {
  const watched = (builder: ReturnType<typeof operator<NonNullable<(typeof Tenant)['object']>>>) =>
    builder.watches(kinds.ConfigMap, () => [tenant]);
  test.each(['owned first', 'watched first'])('is read wherever it is, %s', async (order) => {
    const { client, wait, until } = world;
    const bare = operator(Tenant);
    const declared =
      order === 'owned first' ? watched(bare.owns(kinds.ConfigMap)) : watched(bare).owns(kinds.ConfigMap);
    world.run(
      declared.reconcile(async ({ ensure, cached }) => {
        const source = cached(kinds.ConfigMap, shop);
        if (!source) return { reconciling: { reason: 'NoSource' } };
        await ensure(kinds.ConfigMap, { namespace: 'default', name: 'copy' }, (draft) => {
          draft.data = { ...source.data };
        });
        return undefined;
      }),
    );
    await wait(client.create(Tenant, { metadata: tenant, spec: {} }));
    await wait(client.create(kinds.ConfigMap, { metadata: shop, data: { word: 'one' } }));
    const copy = { namespace: 'default', name: 'copy' };
    await until(async () => expect((await client.get(kinds.ConfigMap, copy)).data).toEqual({ word: 'one' }));
    await wait(client.patch(kinds.ConfigMap, shop, { type: 'merge', body: { data: { word: 'two' } } }));
    await until(async () => expect((await client.get(kinds.ConfigMap, copy)).data).toEqual({ word: 'two' }));
  });

  test('if it is only watched, it cannot be a child, and the message says what to add', async () => {
    const { client, wait, until } = world;
    world.run(
      watched(operator(Tenant)).reconcile(async ({ ensure }) => {
        await ensure(kinds.ConfigMap, shop, () => undefined);
      }),
    );
    await wait(client.create(Tenant, { metadata: tenant, spec: {} }));
    await until(async () =>
      expect(await world.ready()).toMatchObject({
        status: 'False',
        reason: 'InternalError',
        message: expect.stringContaining('ConfigMap is no child: add .owns() of ConfigMap'),
      }),
    );
  });
});

describe('a built-in kind', () => {
  const quota = { namespace: 'team', name: 'pods' };
  const quotas = operator(kinds.Namespace, { name: 'quotas', status: false, when: labelsChanged() })
    .owns(kinds.ResourceQuota)
    .reconcile(async ({ object: { metadata }, ensure }) => {
      const pods = metadata.labels?.pods;
      if (pods === undefined) return;
      if (pods === 'many') throw new Error('"many" is no number: correct the label');
      await ensure(kinds.ResourceQuota, { namespace: metadata.name, name: 'pods' }, (draft) => {
        draft.spec = { hard: { pods } };
      });
    });
  const label = (pods: string) =>
    world.wait(
      world.client.patch(
        kinds.Namespace,
        { name: 'team' },
        { type: 'merge', body: { metadata: { labels: { pods } } } },
      ),
    );

  test('keeps its own status, and its labels start a pass', async () => {
    const { client, clock, wait, until, writes, rights } = world;
    world.run(quotas);
    await wait(client.create(kinds.Namespace, { metadata: { name: 'team', labels: { pods: '5' } } }));
    const hard = async () => (await client.get(kinds.ResourceQuota, quota)).spec?.hard;
    await until(async () => expect(await hard()).toEqual({ pods: '5' }));
    await label('7');
    await until(async () => expect(await hard()).toEqual({ pods: '7' }));
    await clock.advance(60_000);
    expect(new Set(writes.writes.map(({ target }) => target.split(' ')[0]))).toEqual(
      new Set(['resourcequotas']),
    );
    expect(quotas.rules().flatMap(({ resources }) => resources)).not.toContain('namespaces/status');
    assertRights(quotas.rules(), rights.used);
  });

  test('a failure is told by one Event, however often it is tried', async () => {
    const { client, clock, wait, until } = world;
    world.run(quotas);
    await wait(client.create(kinds.Namespace, { metadata: { name: 'team', labels: { pods: 'many' } } }));
    const told = 'Warning ReconcileFailed: "many" is no number: correct the label';
    await until(async () => expect(await world.events()).toEqual([told]));
    await clock.advance(60_000);
    expect(await wait(world.events())).toEqual([told]);
  });

  test('without a generation, every change starts a pass', async () => {
    const { client, wait, until } = world;
    const seen: (string | undefined)[] = [];
    world.run(
      operator(kinds.ConfigMap, { status: false, labelSelector: 'seen=yes' }).reconcile(
        async ({ object }) => {
          seen.push(object.data?.word);
        },
      ),
    );
    const metadata = { ...shop, labels: { seen: 'yes' } };
    await wait(client.create(kinds.ConfigMap, { metadata, data: { word: 'one' } }));
    await until(() => expect(seen).toEqual(['one']));
    await wait(client.patch(kinds.ConfigMap, shop, { type: 'merge', body: { data: { word: 'two' } } }));
    await until(() => expect(seen).toEqual(['one', 'two']));
  });

  test('that is deleted is cleaned up at once, whichever changes start a pass', async () => {
    const { client, wait, until } = world;
    const settings = {
      status: false,
      finalizer: 'example.com/seen',
      labelSelector: 'seen=yes',
      resyncMs: 0,
    } as const;
    const cleaned: string[] = [];
    world.run(
      operator(kinds.ConfigMap, { ...settings, when: labelsChanged() })
        .cleanup(async ({ object }) => void cleaned.push(object.metadata.name))
        .reconcile(async () => undefined),
    );
    await wait(client.create(kinds.ConfigMap, { metadata: { ...shop, labels: { seen: 'yes' } } }));
    await until(async () => {
      const { metadata } = await client.get(kinds.ConfigMap, shop);
      expect(metadata.finalizers).toEqual(['example.com/seen']);
    });
    await wait(client.delete(kinds.ConfigMap, shop));
    await until(() => expect(cleaned).toEqual([shop.name]));
  });

  test('of the core group needs a finalizer with a domain for its cleanup, and says so at once', async () => {
    const declare = (finalizer?: string) =>
      operator(kinds.ConfigMap, { status: false, finalizer })
        .cleanup(async () => undefined)
        .reconcile(async () => undefined);
    expect(() => declare()).toThrow("operator(kind, { finalizer: 'example.com/configmap' })");
    expect(() => declare('example.com/configmap')).not.toThrow();
    expect(() => declare('cleanup')).toThrow('Finalizer "cleanup" must be qualified with a domain');
  });
});

describe('what the status says', () => {
  const create = () => world.wait(world.client.create(Tenant, { metadata: tenant, spec: {} }));

  test('a pass that times out is told, and is not Ready any more', async () => {
    const { until } = world;
    world.run(
      operator(Tenant, { timeoutMs: 5_000 }).reconcile(async ({ signal }) => {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }),
    );
    await create();
    await until(async () =>
      expect(await world.ready()).toMatchObject({ status: 'False', reason: 'ReconcileTimeout' }),
    );
  });

  test('whatever is thrown is told, and harms nobody else', async () => {
    const { client, wait, until } = world;
    const cyclic = new Error('in a circle');
    cyclic.cause = cyclic;
    const unreadable = Object.defineProperty(new Error(), 'message', {
      get: () => {
        throw new Error('no');
      },
    });
    const several = [new ConfigurationError('one', { reason: 'One' }), new Error('two')];
    const thrown: Record<string, [unknown, string]> = {
      nothing: [undefined, 'ReconcileFailed: undefined'],
      bare: [Object.create(null), 'ReconcileFailed: The pass threw something that cannot be read'],
      unreadable: [unreadable, 'ReconcileFailed: The pass threw something that cannot be read'],
      cyclic: [cyclic, 'ReconcileFailed: in a circle'],
      empty: [new Error(), 'ReconcileFailed: The pass failed without a message'],
      long: [new ConfigurationError('too long', { reason: 'A'.repeat(2_000) }), 'Configuration: too long'],
      several: [new AggregateError(several, 'both'), 'ReconcileFailed: both: one; two'],
    };
    world.run(
      operator(Tenant).reconcile(async ({ key }) => {
        throw thrown[key.name]?.[0];
      }),
    );
    for (const name of Object.keys(thrown))
      await wait(client.create(Tenant, { metadata: { name }, spec: {} }));
    await until(async () => {
      const { items } = await client.list(Tenant);
      const told = items.map(({ metadata, status }) => {
        const { reason, message } = findCondition(status?.conditions, 'Ready') ?? {};
        return [metadata.name, `${reason}: ${message}`];
      });
      const wanted = Object.entries(thrown).map(([name, [, text]]) => [name, text]);
      expect(Object.fromEntries(told)).toEqual(Object.fromEntries(wanted));
    });
  });

  test('a failed `fetch` names its cause, and is not counted as a bug', async () => {
    const { until, metrics } = world;
    world.run(
      operator(Tenant).reconcile(async () => {
        throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:5555') });
      }),
    );
    await create();
    await until(async () =>
      expect(await world.ready()).toMatchObject({
        reason: 'ReconcileFailed',
        message: 'fetch failed: connect ECONNREFUSED 127.0.0.1:5555',
      }),
    );
    expect(metricValue(metrics, 'controller_runtime_reconcile_panics_total', { controller: 'tenant' })).toBe(
      0,
    );
  });

  test('a finalizer that may not be added is told', async () => {
    const { client, until } = world;
    const patch: typeof client.patch = (type, key, body, options) =>
      options?.subresource
        ? client.patch(type, key, body, options)
        : Promise.reject(new ForbiddenError({ code: 403, reason: 'Forbidden', message: 'no' }));
    const declared = operator(Tenant)
      .cleanup(async () => undefined)
      .reconcile(async () => undefined);
    const running = runOperator(declared, { client: { ...client, patch }, clock: world.clock });
    world.ends.unshift(() => running.stop());
    await create();
    await until(async () =>
      expect((await client.get(Tenant, tenant)).status).toMatchObject({
        phase: 'Stalled',
        conditions: [
          { type: 'Stalled', reason: 'Forbidden' },
          { type: 'Ready', status: 'False' },
        ],
      }),
    );
  });

  test('a definition without a status subresource is told in an Event, and nothing is claimed', async () => {
    const { client, clock, wait, until } = world;
    const Plain = { ...Tenant, kind: 'Plain', plural: 'plains' };
    const { spec } = Tenant.crd();
    const versions = spec.versions.map(({ subresources: _, ...version }) => version);
    const names = { kind: 'Plain', plural: 'plains', singular: 'plain', listKind: 'PlainList' };
    const crd = {
      ...Tenant.crd(),
      metadata: { name: 'plains.example.com' },
      spec: { ...spec, names, versions },
    };
    await wait(installCrd(client, crd, { clock }));
    world.run(operator(Plain).reconcile(async () => undefined));
    await wait(client.create(Plain, { metadata: tenant, spec: {} }));
    await until(async () =>
      expect(await world.events()).toEqual([
        expect.stringMatching(/^Warning NoStatusSubresource: Plain "blue" has no status subresource: add/),
      ]),
    );
  });
});
