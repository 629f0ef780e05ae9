import { beforeEach, describe, expect, test } from 'vitest';
import { MERGE_PATCH, summary, type TestCluster, testCluster } from '../cluster.test.helper.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
let t: TestCluster;

beforeEach(async () => {
  t = await testCluster();
});

const create = (name: string, labels: Record<string, string> = {}) =>
  t.send('POST', MAPS, { metadata: { name, labels } });
const label = (name: string, labels: Record<string, string | null>) =>
  t.send('PATCH', `${MAPS}/${name}`, { metadata: { labels } }, MERGE_PATCH);
const revision = () => t.cluster.store.revision;

test('from a revision on, every change is one event, in order', async () => {
  await create('old');
  const watch = await t.watch(`${MAPS}?watch=1&resourceVersion=${revision()}`);
  await create('a');
  await label('a', { x: '1' });
  await t.send('DELETE', `${MAPS}/a`);
  await t.clock.settle();
  expect(summary(watch.events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  const versions = watch.events.map(({ object }) => Number(object.metadata.resourceVersion));
  expect(versions).toEqual([revision() - 2, revision() - 1, revision()]);
  expect(watch.events[0]?.object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
});

test('what happened before the watch was opened is not lost', async () => {
  const start = revision();
  await create('a');
  await t.send('DELETE', `${MAPS}/a`);
  const watch = await t.watch(`${MAPS}?watch=1&resourceVersion=${start}`);
  expect(summary(watch.events)).toEqual(['ADDED a', 'DELETED a']);
});

test('from no revision in particular it starts with what is there', async () => {
  await create('b');
  await create('a');
  const watch = await t.watch(`${MAPS}?watch=1`);
  await create('c');
  await t.clock.settle();
  expect(summary(watch.events)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
});

test('events of other namespaces and kinds are not sent', async () => {
  await t.send('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
  const watch = await t.watch(`${MAPS}?watch=1&resourceVersion=${revision()}`);
  await t.send('POST', '/api/v1/namespaces/other/configmaps', { metadata: { name: 'x' } });
  await t.send('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'y' } });
  await create('a');
  await t.clock.settle();
  expect(summary(watch.events)).toEqual(['ADDED a']);
});

describe('a change that enters or leaves the selection is sent as ADDED or DELETED', () => {
  test('by label', async () => {
    const watch = await t.watch(`${MAPS}?watch=1&labelSelector=x%3D1&resourceVersion=${revision()}`);
    await create('a');
    await label('a', { x: '1' });
    await label('a', { y: '2' });
    await label('a', { x: '2' });
    await label('a', { x: '1' });
    await t.send('DELETE', `${MAPS}/a`);
    await t.clock.settle();
    expect(summary(watch.events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a']);
  });

  test('what left is shown as it last was inside, at the revision of its leaving', async () => {
    await create('a', { x: '1' });
    const watch = await t.watch(`${MAPS}?watch=1&labelSelector=x%3D1&resourceVersion=${revision()}`);
    await label('a', { x: '2' });
    await t.clock.settle();
    expect(watch.events[0]).toMatchObject({
      type: 'DELETED',
      object: { metadata: { labels: { x: '1' }, resourceVersion: String(revision()) } },
    });
  });

  test('by field', async () => {
    const watch = await t.watch(`${MAPS}?watch=1&fieldSelector=metadata.name%3Db`);
    await create('a');
    await create('b');
    await t.clock.settle();
    expect(summary(watch.events)).toEqual(['ADDED b']);
  });
});

describe('watch-list', () => {
  const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

  test('the end of the initial state is marked', async () => {
    await create('a');
    const watch = await t.watch(`${MAPS}?${query}`);
    await create('b');
    await t.clock.settle();
    expect(watch.events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK', 'ADDED']);
    expect(watch.events[1]?.object).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        resourceVersion: String(revision() - 1),
        annotations: { 'k8s.io/initial-events-end': 'true' },
      },
    });
  });

  test('without bookmarks it is not', async () => {
    await create('a');
    const watch = await t.watch(`${MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`);
    expect(summary(watch.events)).toEqual(['ADDED a']);
  });

  test('a client may also ask for nothing but the future', async () => {
    await create('a');
    const watch = await t.watch(`${MAPS}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`);
    await create('b');
    await t.clock.settle();
    expect(summary(watch.events)).toEqual(['ADDED b']);
  });

  test('a stale front end first catches up', async () => {
    t.cluster.replica.hold();
    await create('a');
    const opening = t.watch(`${MAPS}?${query}`);
    await t.clock.settle();
    t.cluster.replica.release();
    expect(summary((await opening).events)).toEqual(['ADDED a', 'BOOKMARK']);
  });

  test('a revision that does not come is an event, after three seconds', async () => {
    const opening = t.watch(`${MAPS}?${query}&resourceVersion=${revision() + 9}`);
    await t.clock.advance(3_000);
    const watch = await opening;
    expect(watch.status).toBe(200);
    expect(watch.events).toMatchObject([{ type: 'ERROR', object: { code: 504, reason: 'Timeout' } }]);
    expect(watch.ended).toBe(true);
  });

  test('a server that does not know it says so', async () => {
    t = await testCluster({ features: { watchList: false } });
    const { body } = await t.send('GET', `${MAPS}?${query}`);
    expect(body).toMatchObject({ code: 422, details: { causes: [{ field: 'sendInitialEvents' }] } });
    const watch = await t.watch(`${MAPS}?watch=1&allowWatchBookmarks=true`);
    await create('a');
    await t.clock.settle();
    expect(summary(watch.events)).toEqual(['ADDED a']);
  });
});

describe('a start that is no longer known', () => {
  test('is an ERROR event on 200, and the end', async () => {
    const start = revision();
    await create('a');
    t.cluster.store.compact();
    const watch = await t.watch(`${MAPS}?watch=1&resourceVersion=${start}`);
    expect(watch.status).toBe(200);
    expect(watch.events).toEqual([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: `too old resource version: ${start} (${revision()})`,
          reason: 'Expired',
          code: 410,
        },
      },
    ]);
    expect(watch.ended).toBe(true);
    expect(t.clock.pendingTimers).toBe(0);
  });

  test('comes with time, when more happens', async () => {
    t = await testCluster({ watchWindow: { minEvents: 1 } });
    const start = revision();
    await create('a');
    await t.clock.advance(80_000);
    await create('b');
    const watch = await t.watch(`${MAPS}?watch=1&resourceVersion=${start}`);
    expect(watch.events[0]?.object).toMatchObject({ code: 410 });
  });

  test('a quiet resource stays known however long', async () => {
    await create('a');
    const start = revision();
    await t.clock.advance(3_600_000);
    for (let i = 0; i < 200; i++) {
      await t.send('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: `s${i}` } });
    }
    const watch = await t.watch(`${MAPS}?watch=1&resourceVersion=${start}`);
    expect(watch.events).toEqual([]);
    expect(watch.ended).toBe(false);
  });
});

describe('bookmarks', () => {
  test('come every minute with the newest revision, also of other resources', async () => {
    const watch = await t.watch(`${MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=${revision()}`);
    await t.send('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
    await t.clock.advance(61_000);
    expect(watch.events).toEqual([
      {
        type: 'BOOKMARK',
        object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: String(revision()) } },
      },
    ]);
    await t.clock.advance(60_000);
    expect(watch.events).toHaveLength(2);
  });

  test('one comes just before the end', async () => {
    const watch = await t.watch(
      `${MAPS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=10&resourceVersion=${revision()}`,
    );
    await t.clock.advance(7_900);
    expect(watch.events).toHaveLength(0);
    await t.clock.advance(200);
    expect(watch.events).toHaveLength(1);
  });

  test('are sent only if requested', async () => {
    const watch = await t.watch(`${MAPS}?watch=1&timeoutSeconds=100&resourceVersion=${revision()}`);
    await t.clock.advance(99_000);
    expect(watch.events).toEqual([]);
  });

  test('a stale front end sends no bookmark beyond its own revision', async () => {
    const watch = await t.watch(`${MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=${revision()}`);
    const seen = revision();
    t.cluster.replica.hold();
    await create('a');
    await t.clock.advance(61_000);
    expect(watch.events[0]?.object.metadata.resourceVersion).toBe(String(seen));
  });
});

describe('the end', () => {
  test('comes when the client said', async () => {
    const watch = await t.watch(`${MAPS}?watch=1&timeoutSeconds=5`);
    await t.clock.advance(4_900);
    expect(watch.ended).toBe(false);
    await t.clock.advance(200);
    expect(watch.ended).toBe(true);
    expect(t.clock.pendingTimers).toBe(0);
    expect(t.cluster.replica.watchers).toBe(0);
  });

  test('comes between half an hour and an hour when the client said nothing', async () => {
    const watch = await t.watch(`${MAPS}?watch=1`);
    await t.clock.advance(1_799_000);
    expect(watch.ended).toBe(false);
    await t.clock.advance(1_802_000);
    expect(watch.ended).toBe(true);
  });

  test('a client that goes leaves nothing behind', async () => {
    const watch = await t.watch(`${MAPS}?watch=1&allowWatchBookmarks=true`);
    expect(t.cluster.replica.watchers).toBe(1);
    await watch.close();
    expect(t.cluster.replica.watchers).toBe(0);
    expect(t.clock.pendingTimers).toBe(0);
  });
});

describe('other forms', () => {
  const accept = (as: string) => ({ headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` } });

  test('metadata only, also in bookmarks', async () => {
    await create('a');
    const watch = await t.watch(`${MAPS}?watch=1&allowWatchBookmarks=true`, accept('PartialObjectMetadata'));
    expect(watch.events.map(({ object }) => object.kind)).toEqual([
      'PartialObjectMetadata',
      'PartialObjectMetadata',
    ]);
    expect(watch.events[0]?.object).not.toHaveProperty('data');
  });

  test('tables name their columns once', async () => {
    await create('a');
    await create('b');
    const watch = await t.watch(`${MAPS}?watch=1&allowWatchBookmarks=true`, accept('Table'));
    const [first, second, mark] = watch.events;
    expect(first?.object.columnDefinitions).toHaveLength(3);
    expect(second?.object).toMatchObject({ columnDefinitions: null, rows: [{ cells: ['b', 0, '0s'] }] });
    expect(mark?.object.rows[0]).toMatchObject({
      cells: ['', 0, '<unknown>'],
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
  });

  test('two watches that ask for different forms do not get each other’s', async () => {
    const start = revision();
    const whole = await t.watch(`${MAPS}?watch=1&resourceVersion=${start}`);
    const part = await t.watch(`${MAPS}?watch=1&resourceVersion=${start}`, accept('PartialObjectMetadata'));
    await t.send('POST', MAPS, { metadata: { name: 'a' }, data: { k: 'v' } });
    await t.clock.settle();
    expect(whole.events[0]?.object.data).toEqual({ k: 'v' });
    expect(part.events[0]?.object).not.toHaveProperty('data');
  });
});

test('a revision that is none is a fault', async () => {
  expect((await t.send('GET', `${MAPS}?watch=1&resourceVersion=abc`)).body).toMatchObject({
    code: 500,
    message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
  });
});
