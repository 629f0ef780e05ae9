import { beforeEach, describe, expect, test } from 'vitest';
import { MERGE_PATCH, type TestCluster, testCluster } from '../cluster.test.helper.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const ALL = '/api/v1/configmaps';
let t: TestCluster;

interface Item {
  metadata: { name: string; namespace: string };
}

const names = (body: { items: Item[] }): string[] => body.items.map((item) => item.metadata.name);

beforeEach(async () => {
  t = await testCluster();
  for (const name of ['c', 'a', 'b']) {
    await t.send('POST', MAPS, { metadata: { name, labels: { name, group: name === 'c' ? 'two' : 'one' } } });
  }
});

describe('get', () => {
  test('what is not there is a 404', async () => {
    expect((await t.send('GET', `${MAPS}/nope`)).body).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "nope" not found',
      details: { name: 'nope', kind: 'configmaps' },
    });
  });

  test('a revision in the future is waited for', async () => {
    const next = t.cluster.store.revision + 1;
    const answer = t.send('GET', `${MAPS}/a?resourceVersion=${next}`);
    await t.clock.advance(1_000);
    await t.send('PATCH', `${MAPS}/a`, { data: { k: 'v' } }, MERGE_PATCH);
    expect((await answer).body.data).toEqual({ k: 'v' });
  });

  test('a revision that does not come is a timeout after three seconds', async () => {
    const current = t.cluster.store.revision;
    let answer: unknown;
    void t.send('GET', `${MAPS}/a?resourceVersion=${current + 5}`).then((value) => {
      answer = value;
    });
    await t.clock.advance(2_900);
    expect(answer).toBeUndefined();
    await t.clock.advance(200);
    expect(answer).toMatchObject({
      status: 504,
      headers: { 'retry-after': '1' },
      body: {
        reason: 'Timeout',
        message: `Timeout: Too large resource version: ${current + 5}, current: ${current}`,
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
      },
    });
    expect(t.clock.pendingTimers).toBe(0);
  });

  test('a revision that is none is a fault', async () => {
    expect((await t.send('GET', `${MAPS}/a?resourceVersion=abc`)).body).toMatchObject({
      code: 500,
      message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });

  test('without a revision the answer is never stale; with one it may be', async () => {
    t.cluster.replica.hold();
    await t.send('PATCH', `${MAPS}/a`, { data: { k: 'v' } }, MERGE_PATCH);
    expect((await t.send('GET', `${MAPS}/a`)).body.data).toEqual({ k: 'v' });
    expect((await t.send('GET', `${MAPS}/a?resourceVersion=0`)).body.data).toBeUndefined();
  });
});

describe('list', () => {
  test('objects come by namespace and name, without what the list says for all', async () => {
    await t.send('POST', '/api/v1/namespaces', { metadata: { name: 'aaa' } });
    await t.send('POST', '/api/v1/namespaces/aaa/configmaps', { metadata: { name: 'z' } });
    const { body } = await t.send('GET', ALL);
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(body.items.map(({ metadata }: Item) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      'aaa/z',
      'default/a',
      'default/b',
      'default/c',
    ]);
    expect(body.items[0]).not.toHaveProperty('kind');
    expect(body.metadata).toEqual({ resourceVersion: String(t.cluster.store.revision) });
  });

  test.each([
    ['labelSelector=group%3Done', ['a', 'b']],
    ['labelSelector=group!%3Done', ['c']],
    ['fieldSelector=metadata.name%3Db', ['b']],
    ['fieldSelector=metadata.name!%3Db', ['a', 'c']],
    ['labelSelector=group%3Done&fieldSelector=metadata.name!%3Db', ['a']],
    ['fieldSelector=metadata.name%3Dnope', []],
  ])('%s', async (query, expected) => {
    expect(names((await t.send('GET', `${MAPS}?${query}`)).body)).toEqual(expected);
    expect(names((await t.send('GET', `${ALL}?${query}`)).body)).toEqual(expected);
  });

  test('a field that the kind does not have cannot be selected', async () => {
    expect((await t.send('GET', `${MAPS}?fieldSelector=data.x%3D1`)).body).toMatchObject({
      code: 400,
      message: '"data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    });
  });
});

describe('which revision a list shows', () => {
  let before: number;

  beforeEach(async () => {
    before = t.cluster.store.revision;
    await t.send('DELETE', `${MAPS}/b`);
    await t.send('POST', MAPS, { metadata: { name: 'd' } });
  });

  test('exactly the one that was asked for', async () => {
    const { body } = await t.send('GET', `${MAPS}?resourceVersion=${before}&resourceVersionMatch=Exact`);
    expect(names(body)).toEqual(['a', 'b', 'c']);
    expect(body.metadata.resourceVersion).toBe(String(before));
  });

  test('a page at a revision means that very revision', async () => {
    const { body } = await t.send('GET', `${MAPS}?resourceVersion=${before}&limit=2`);
    expect(names(body)).toEqual(['a', 'b']);
  });

  test('not older than asked for, where nothing else is said', async () => {
    const { body } = await t.send('GET', `${MAPS}?resourceVersion=${before}`);
    expect(names(body)).toEqual(['a', 'c', 'd']);
  });

  test('what may be stale comes from the front end, in one piece', async () => {
    t.cluster.replica.hold();
    await t.send('DELETE', `${MAPS}/a`);
    const { body } = await t.send('GET', `${MAPS}?resourceVersion=0&limit=1`);
    expect(names(body)).toEqual(['a', 'c', 'd']);
    expect(body.metadata).not.toHaveProperty('continue');
    expect(names((await t.send('GET', MAPS)).body)).toEqual(['c', 'd']);
  });

  test('a revision that is forgotten is gone', async () => {
    t.cluster.store.compact();
    const { body } = await t.send('GET', `${MAPS}?resourceVersion=${before}&resourceVersionMatch=Exact`);
    expect(body).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
  });

  test('a revision in the future is waited for', async () => {
    const next = t.cluster.store.revision + 1;
    const answer = t.send('GET', `${MAPS}?resourceVersion=${next}&resourceVersionMatch=NotOlderThan`);
    await t.clock.advance(1_000);
    await t.send('POST', MAPS, { metadata: { name: 'e' } });
    expect(names((await answer).body)).toEqual(['a', 'c', 'd', 'e']);
  });

  test('a revision that is none is refused', async () => {
    expect((await t.send('GET', `${MAPS}?resourceVersion=-1`)).body).toMatchObject({
      code: 400,
      message:
        'invalid resource version: resourceVersion: Invalid value: "-1": strconv.ParseUint: parsing "-1": invalid syntax',
    });
  });
});

describe('pages', () => {
  test('all pages together are the list as it was at the first one', async () => {
    const first = await t.send('GET', `${MAPS}?limit=1`);
    expect(names(first.body)).toEqual(['a']);
    expect(first.body.metadata.remainingItemCount).toBe(2);
    await t.send('DELETE', `${MAPS}/b`);
    await t.send('POST', MAPS, { metadata: { name: 'bb' } });
    const second = await t.send('GET', `${MAPS}?limit=1&continue=${first.body.metadata.continue}`);
    expect(names(second.body)).toEqual(['b']);
    expect(second.body.metadata).toMatchObject({
      resourceVersion: first.body.metadata.resourceVersion,
      remainingItemCount: 1,
    });
    const third = await t.send('GET', `${MAPS}?limit=1&continue=${second.body.metadata.continue}`);
    expect(names(third.body)).toEqual(['c']);
    expect(third.body.metadata).toEqual({ resourceVersion: first.body.metadata.resourceVersion });
  });

  test('a page that ends exactly with the list has no next one', async () => {
    const { body } = await t.send('GET', `${MAPS}?limit=3`);
    expect(body.metadata).not.toHaveProperty('continue');
  });

  test('with a selector nobody knows how many are left', async () => {
    const { body } = await t.send('GET', `${MAPS}?limit=1&labelSelector=group%3Done`);
    expect(names(body)).toEqual(['a']);
    expect(body.metadata.continue).toBeDefined();
    expect(body.metadata).not.toHaveProperty('remainingItemCount');
  });

  test('a token of a forgotten revision is gone, with a way to go on', async () => {
    const first = await t.send('GET', `${MAPS}?limit=1`);
    await t.send('DELETE', `${MAPS}/b`);
    t.cluster.store.compact();
    const { body } = await t.send('GET', `${MAPS}?limit=1&continue=${first.body.metadata.continue}`);
    expect(body).toMatchObject({ code: 410, reason: 'Expired' });
    expect(body.message).toContain(
      'The provided continue parameter is too old to display a consistent list result',
    );
    const next = await t.send('GET', `${MAPS}?limit=5&continue=${body.metadata.continue}`);
    expect(names(next.body)).toEqual(['c']);
  });

  test('a token goes with no revision', async () => {
    const first = await t.send('GET', `${MAPS}?limit=1`);
    const { body } = await t.send(
      'GET',
      `${MAPS}?limit=1&resourceVersion=5&continue=${first.body.metadata.continue}`,
    );
    expect(body).toMatchObject({
      code: 400,
      message: 'specifying resource version is not allowed when using continue',
    });
  });
});

describe('other forms', () => {
  const accept = (as: string) => ({ headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` } });

  test('metadata only', async () => {
    const one = await t.send('GET', `${MAPS}/a`, undefined, accept('PartialObjectMetadata'));
    expect(one.body).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
    expect(Object.keys(one.body).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    const list = await t.send('GET', MAPS, undefined, accept('PartialObjectMetadataList'));
    expect(list.body.kind).toBe('PartialObjectMetadataList');
    expect(list.body.items.map((item: { kind: string }) => item.kind)).toEqual(
      Array(3).fill('PartialObjectMetadata'),
    );
  });

  test('one is not the other', async () => {
    const list = await t.send('GET', MAPS, undefined, accept('PartialObjectMetadata'));
    expect(list.body).toMatchObject({
      code: 406,
      message:
        'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
    });
    const one = await t.send('GET', `${MAPS}/a`, undefined, accept('PartialObjectMetadataList'));
    expect(one.body.message).toBe(
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
    );
  });

  test('tables', async () => {
    const { body } = await t.send('GET', MAPS, undefined, accept('Table'));
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(body.metadata.resourceVersion).toBe(String(t.cluster.store.revision));
    expect(body.columnDefinitions.map((column: { name: string }) => column.name)).toEqual([
      'Name',
      'Data',
      'Age',
    ]);
    expect(body.rows.map((row: { cells: unknown[] }) => row.cells)).toEqual([
      ['a', 0, '0s'],
      ['b', 0, '0s'],
      ['c', 0, '0s'],
    ]);
    expect(body.rows[0].object.kind).toBe('PartialObjectMetadata');
  });

  test('what a row shows of its object can be chosen', async () => {
    const none = await t.send('GET', `${MAPS}/a?includeObject=None`, undefined, accept('Table'));
    expect(none.body.rows[0].object).toBeNull();
    const whole = await t.send('GET', `${MAPS}/a?includeObject=Object`, undefined, accept('Table'));
    expect(whole.body.rows[0].object.kind).toBe('ConfigMap');
    const wrong = await t.send('GET', `${MAPS}/a?includeObject=Foo`, undefined, accept('Table'));
    expect(wrong.body).toMatchObject({ code: 400 });
  });

  test('YAML', async () => {
    const { headers, body } = await t.send('GET', `${MAPS}/a`, undefined, {
      headers: { accept: 'application/yaml' },
    });
    expect(headers['content-type']).toBe('application/yaml');
    expect(body).toMatch(/^apiVersion: v1\nkind: ConfigMap\nmetadata:\n {2}creationTimestamp: "2030/);
    const error = await t.send('GET', `${MAPS}/nope`, undefined, { headers: { accept: 'application/yaml' } });
    expect(error.body).toContain('code: 404');
  });

  test('large answers are compressed for those who understand it', async () => {
    for (let i = 0; i < 10; i++) {
      await t.send('POST', MAPS, { metadata: { name: `big-${i}` }, data: { k: 'x'.repeat(20_000) } });
    }
    const transport = t.cluster.transport();
    const get = (headers: Record<string, string>) =>
      transport.request({ method: 'GET', path: MAPS, headers });
    const zipped = await get({ 'accept-encoding': 'gzip' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    let size = 0;
    for await (const chunk of zipped.body) size += chunk.length;
    expect(size).toBeLessThan(20_000);
    expect((await get({})).headers).not.toHaveProperty('content-encoding');
  });
});
