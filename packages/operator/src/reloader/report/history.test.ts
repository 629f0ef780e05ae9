import { startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, kinds } from '@reloader/runtime';
import { createCapturingLogger, recordWrites, VirtualClock } from '@reloader/runtime/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { workloadFacts } from '../want/world.test.support.ts';
import { History } from './history.ts';
import { HistoryStore } from './history-store.ts';
import { cause, later, reloadReport, START, START_S, wantOf } from './report.test.support.ts';

const WEB = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;

describe('the history of a workload', () => {
  test('tells of a reload, then of its result and how long it took', () => {
    let now = START;
    const history = new History(() => now);
    history.reloaded(
      reloadReport({ seq: 7, configs: ['shop/rules'], causes: [cause('Secret', 'credentials')] }),
    );
    expect(history.of(WEB)?.reloads).toEqual([
      {
        seq: 7,
        at: START_S,
        sources: ['Secret shop/credentials'],
        configs: ['shop/rules'],
        result: 'rolling',
        waited: 0,
      },
    ]);
    now = START + 12_345;
    history.rolledOut(workloadFacts(), 7, 'succeeded', 'all pods are updated');
    expect(history.of(WEB)?.reloads[0]).toMatchObject({ result: 'succeeded', seconds: 12.345 });
  });

  test('says which reload one undid, also after its rollout', () => {
    const history = new History(() => START);
    history.reloaded({ ...reloadReport({ seq: 7 }), undoes: 6 });
    history.rolledOut(workloadFacts(), 7, 'succeeded', 'all pods are updated');
    expect(history.of(WEB)?.reloads[0]).toMatchObject({ result: 'succeeded', undoes: 6 });
  });

  test('says why a rollout failed', () => {
    const history = new History(() => START);
    history.reloaded(reloadReport({ seq: 7 }));
    history.rolledOut(workloadFacts(), 7, 'failed', 'no progress');
    expect(history.of(WEB)?.reloads[0]).toMatchObject({ result: 'failed', message: 'no progress' });
  });

  test('says what became of the sources of a reload that failed, and of no other', () => {
    const history = new History(() => START);
    const report = { result: 'restored', sources: [], configs: [], message: 'put back' } as const;
    history.reloaded(reloadReport({ seq: 7 }));
    history.restored(workloadFacts(), { ...report, seq: 7 });
    expect(history.of(WEB)?.reloads[0]).not.toHaveProperty('restore');
    history.rolledOut(workloadFacts(), 7, 'failed', 'no progress');
    history.restored(workloadFacts(), { ...report, seq: 7 });
    expect(history.of(WEB)?.reloads[0]).toMatchObject({ result: 'failed', restore: 'restored' });
  });

  test('keeps five reloads, and a refusal that repeats as one', () => {
    const history = new History(() => START);
    for (let seq = 1; seq <= 8; seq++) history.reloaded(reloadReport({ seq }));
    expect(history.of(WEB)?.reloads.map(({ seq }) => seq)).toEqual([4, 5, 6, 7, 8]);
    for (let tries = 0; tries < 4; tries++) history.failed(reloadReport({ seq: 9 }), new Error('quota'));
    expect(
      history
        .of(WEB)
        ?.reloads.map(({ seq, result }) => `${seq} ${result}`)
        .slice(-2),
    ).toEqual(['8 rolling', '9 refused']);
    history.reloaded(reloadReport({ seq: 9 }));
    expect(
      history
        .of(WEB)
        ?.reloads.filter(({ seq }) => seq === 9)
        .map(({ result }) => result),
    ).toEqual(['rolling']);
  });

  test('tells what is held back until it is not', () => {
    const history = new History(() => START);
    history.deferred(workloadFacts(), wantOf(), later('settling', START + 1000));
    expect(history.of(WEB)).toBeUndefined();
    history.deferred(workloadFacts(), wantOf(), later('frozen'));
    expect(history.of(WEB)?.held).toEqual({ reason: 'frozen', message: 'because it is frozen' });
    history.released(WEB);
    expect(history.of(WEB)).toBeUndefined();
    history.deferred(workloadFacts(), wantOf(), later('paused', START + 5000));
    history.reloaded(reloadReport());
    expect(history.of(WEB)).not.toHaveProperty('held');
  });

  test('what was stored comes before what was seen since', () => {
    const [stored, history] = [new History(() => START), new History(() => START)];
    for (const seq of [6, 7]) stored.reloaded(reloadReport({ seq }));
    for (const seq of [7, 8]) history.reloaded(reloadReport({ seq }));
    history.restore([['Deployment/shop/web', { reloads: stored.of(WEB)?.reloads ?? [] }]]);
    expect(history.of(WEB)?.reloads.map(({ seq }) => seq)).toEqual([6, 7, 8]);
  });

  test('10,000 workloads keep their five reloads; beyond 10 MB the quietest go first', () => {
    const history = new History(() => START);
    const reloads = [1, 2, 3, 4, 5].map((seq) => ({
      seq,
      at: START_S + seq,
      sources: ['Secret shop/credentials'],
      configs: ['shop/rules'],
      result: 'succeeded' as const,
      seconds: 12.345,
      waited: 1.005,
      rollout: 11.34,
    }));
    const restore = (name: string): void =>
      history.restore(
        Array.from(
          { length: 10_000 },
          (_, each) => [`Deployment/shop/${name}-${each}`, { reloads }] as const,
        ),
      );
    restore('workload');
    const all = [...history.entries()];
    expect(all).toHaveLength(10_000);
    expect(all.every(([, each]) => each.reloads.length === 5)).toBe(true);
    // The history that an earlier process stored is older than ours, so it is dropped first.
    restore('older');
    history.reloaded(reloadReport({ workload: workloadFacts({ name: 'newest' }) }));
    const kept = [...history.entries()];
    const bytes = kept.reduce((sum, [, entry]) => sum + JSON.stringify(entry).length, 0);
    expect(bytes).toBeLessThanOrEqual(10_000_000);
    expect(kept.length).toBeGreaterThan(10_000);
    expect(kept.at(-1)?.[0].name).toBe('newest');
    expect(history.of({ ...WEB, name: 'workload-9999' })?.reloads).toHaveLength(5);
    expect(history.of({ ...WEB, name: 'older-0' })).toBeUndefined();
  });

  test('tells how long a change waited, and how long its rollout took', () => {
    let now = START;
    const history = new History(() => now);
    history.reloaded(reloadReport({ seq: 7 }, { seenAt: START - 61_500 }));
    expect(history.of(WEB)?.reloads[0]).toMatchObject({ result: 'rolling', waited: 61.5 });
    now = START + 12_345;
    history.rolledOut(workloadFacts(), 7, 'succeeded', '');
    expect(history.of(WEB)?.reloads[0]).toMatchObject({ waited: 61.5, rollout: 12.345, seconds: 73.845 });
  });

  test('names ten sources of a reload and counts the others', () => {
    const history = new History(() => START);
    const causes = Array.from({ length: 13 }, (_, index) => cause('Secret', `s${index}`));
    history.reloaded(reloadReport({ causes }));
    const [entry] = history.of(WEB)?.reloads ?? [];
    expect([entry?.sources.length, entry?.moreSources]).toEqual([10, 3]);
  });
});

describe('the ConfigMap', () => {
  let close: (() => Promise<void>) | undefined;
  afterEach(async () => close?.());

  async function setUp(token?: string) {
    const clock = new VirtualClock();
    const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
    cluster.addToken('nobody', { name: 'nobody', groups: [] });
    const admin = createClient({ transport: cluster.transport(), clock });
    const own = createClient({ transport: cluster.transport(token ? { token } : {}), clock });
    const { client, writes } = recordWrites(own);
    const log = createCapturingLogger();
    close = async () => {
      await Promise.all([admin.close(), own.close()]);
      await cluster.stop();
    };
    const start = (history: History) => {
      const stop = new AbortController();
      const store = new HistoryStore({ client, clock, logger: log.logger, namespace: 'default', history });
      const signals = { stopping: stop.signal, abort: new AbortController().signal };
      const ended = Promise.all(store.runnables.map((runnable) => runnable.start(signals)));
      return async (): Promise<void> => {
        stop.abort();
        await ended;
      };
    };
    return { clock, admin, writes, log, start };
  }

  const stored = async (client: Client): Promise<Record<string, unknown>> => {
    const { data = {} } = await client.get(kinds.ConfigMap, {
      namespace: 'default',
      name: 'reloader-history',
    });
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, JSON.parse(value)]));
  };

  test('is written at most every ten seconds, only what changed, and once more at the end', async () => {
    const { clock, admin, writes, start } = await setUp();
    const history = new History(() => clock.now());
    const stop = start(history);
    await clock.settle();
    expect(writes).toHaveLength(0);
    for (let seq = 1; seq <= 15; seq++) {
      history.reloaded(reloadReport({ seq }));
      await clock.advance(1000);
    }
    // A PATCH that finds no ConfigMap, then a create.
    expect(writes.map(({ verb }) => verb)).toEqual(['patch', 'create']);
    await clock.advance(10_000);
    history.reloaded(reloadReport({ workload: workloadFacts({ name: 'api' }) }));
    await stop();
    const patches = writes.map(({ body }) => body as { body?: { data: object } });
    expect(Object.keys(patches.at(-1)?.body?.data ?? {})).toEqual(['Deployment.shop.api']);
    expect(await stored(admin)).toMatchObject({
      'Deployment.shop.web': { workload: 'Deployment/shop/web', reloads: { length: 5 } },
      'Deployment.shop.api': { workload: 'Deployment/shop/api' },
    });
  });

  test('is read back by the next process, and forgets deleted workloads', async () => {
    const { clock, admin, start } = await setUp();
    const first = new History(() => clock.now());
    const stopFirst = start(first);
    await clock.settle();
    first.reloaded(reloadReport({ seq: 7 }));
    await stopFirst();
    await admin.patch(
      kinds.ConfigMap,
      { namespace: 'default', name: 'reloader-history' },
      {
        type: 'merge',
        body: { data: { odd: 'not ours', 'Deployment.a.b': '{"workload":"x","reloads":[]}' } },
      },
    );
    const second = new History(() => clock.now());
    const stopSecond = start(second);
    await clock.settle();
    expect(second.of(WEB)?.reloads.map(({ seq }) => seq)).toEqual([7]);
    expect([...second.entries()]).toHaveLength(1);
    second.forget(WEB);
    await stopSecond();
    expect(await stored(admin).catch(() => 'unreadable')).toBe('unreadable');
    const { data } = await admin.get(kinds.ConfigMap, { namespace: 'default', name: 'reloader-history' });
    expect(Object.keys(data ?? {}).sort()).toEqual(['Deployment.a.b', 'odd']);
  });

  test('is not touched by a process that never led', async () => {
    const { clock, writes } = await setUp();
    const history = new History(() => clock.now());
    const client = {} as Client;
    const log = createCapturingLogger();
    const store = new HistoryStore({ client, clock, logger: log.logger, namespace: 'default', history });
    const stop = new AbortController();
    const last = store.runnables.find(({ needsLeaderElection }) => !needsLeaderElection);
    const ended = last?.start({ stopping: stop.signal, abort: new AbortController().signal });
    history.reloaded(reloadReport());
    stop.abort();
    await ended;
    expect(writes).toEqual([]);
    expect(log.messages()).toEqual([]);
  });

  test('that may not be written is mentioned once, and nothing is lost', async () => {
    const { clock, admin, log, start } = await setUp('nobody');
    const history = new History(() => clock.now());
    const stop = start(history);
    await clock.settle();
    history.reloaded(reloadReport());
    await clock.advance(60_000);
    expect(log.messages('warn')).toEqual(['The history of reloads could not be read']);
    const metadata = { name: 'history' };
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['*'] }];
    await admin.create(kinds.ClusterRole, { metadata, rules } as never);
    await admin.create(kinds.ClusterRoleBinding, {
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'history' },
      subjects: [{ kind: 'User', name: 'nobody' }],
    } as never);
    await clock.advance(10_000);
    expect(await stored(admin)).toMatchObject({ 'Deployment.shop.web': { reloads: [{ seq: 1 }] } });
    await stop();
  });

  test('that is full goes on in others, by namespace; the next process finds all of it', async () => {
    const { clock, admin, writes, start } = await setUp();
    const first = new History(() => clock.now());
    const stopFirst = start(first);
    await clock.settle();
    const names = Array.from({ length: 700 }, (_, index) => ['shop', 'bank'][index % 2] as string).map(
      (namespace, index) => ({ kind: 'Deployment' as const, namespace, name: `workload-${index}` }),
    );
    for (const ref of names) {
      for (let seq = 1; seq <= 5; seq++) first.reloaded(reloadReport({ seq, workload: workloadFacts(ref) }));
    }
    await stopFirst();
    const { items } = await admin.list(kinds.ConfigMap, { namespace: 'default' });
    const pieces = items.filter(({ metadata }) => metadata.name.startsWith('reloader-history'));
    expect(pieces.map(({ metadata }) => metadata.name).sort()).toEqual([
      'reloader-history',
      'reloader-history-bank.0',
      'reloader-history-shop.0',
    ]);
    for (const { data } of pieces) expect(JSON.stringify(data).length).toBeLessThan(400_000);
    const [text = ''] = Object.values(pieces[0]?.data ?? {});
    expect(JSON.parse(text).reloads[0].time).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const second = new History(() => clock.now());
    const stopSecond = start(second);
    await clock.settle();
    expect([...second.entries()]).toHaveLength(700);
    expect(names.every((ref) => second.of(ref)?.reloads.length === 5)).toBe(true);
    const before = writes.length;
    const last = names.at(-1) ?? WEB;
    second.reloaded(reloadReport({ seq: 6, workload: workloadFacts(last) }));
    await stopSecond();
    expect(
      writes.slice(before).map(({ verb }) => verb),
      'one piece is written, where it stands',
    ).toEqual(['update']);
    const third = new History(() => clock.now());
    const stopThird = start(third);
    await clock.settle();
    expect(third.of(last)?.reloads.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6]);
    await stopThird();
  });

  test('a workload with the longest names has a key that the server takes', async () => {
    const { clock, admin, start } = await setUp();
    const history = new History(() => clock.now());
    const stop = start(history);
    await clock.settle();
    for (const last of ['a', 'b']) {
      const workload = workloadFacts({ namespace: 'n'.repeat(63), name: 'w'.repeat(252) + last });
      history.reloaded(reloadReport({ workload }));
    }
    await stop();
    expect(Object.keys(await stored(admin))).toHaveLength(2);
  });
});
