/** Restores ConfigMaps on a simulated API server: the reads, the notes and the writes. */

import { startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, ForbiddenError, kinds } from '@reloader/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configMapFacts } from '../digest/source-projection.ts';
import { entryOf } from '../ledger/entry.ts';
import { formatEntry } from '../ledger/ledger.ts';
import { DEFAULT_ANNOTATIONS } from '../model/annotations.ts';
import type { RestoringSource } from '../model/ledger.ts';
import type { RestoreSource } from '../model/restore.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import { type ConfigMap, copyLabel, copyName, KeptCopies } from './kept-copies.ts';
import { restore, restoreOperations } from './restore.ts';

const names = DEFAULT_ANNOTATIONS;
const REF = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' } as const;
const NEVER = new AbortController().signal;
let cluster: Awaited<ReturnType<typeof startMinicluster>>;
let client: Client;
beforeAll(async () => {
  cluster = await startMinicluster({ workloads: false });
  client = createClient({ transport: cluster.transport() });
  await client.create(kinds.Namespace, { metadata: { name: 'shop' } });
});
afterAll(async () => {
  await client.close();
  await cluster.stop();
});
beforeEach(async () => {
  const { items } = await client.list(kinds.ConfigMap, { namespace: 'shop' });
  for (const { metadata } of items) {
    await client.delete(kinds.ConfigMap, { namespace: 'shop', name: metadata.name });
  }
});

type Content = Pick<kinds.ConfigMapObject, 'data' | 'binaryData'>;

async function write(content: Content, fieldManager = 'kubectl-edit'): Promise<ConfigMap> {
  const metadata = { namespace: 'shop', name: 'settings' };
  const live = await read();
  const written = live
    ? await client.update(
        kinds.ConfigMap,
        { ...live, data: {}, binaryData: {}, ...content },
        { fieldManager },
      )
    : await client.create(kinds.ConfigMap, { metadata, ...content }, { fieldManager });
  return written as ConfigMap;
}

async function read(): Promise<ConfigMap | undefined> {
  const options = { namespace: 'shop', fieldSelector: 'metadata.name=settings' };
  return (await client.list(kinds.ConfigMap, options)).items[0] as ConfigMap | undefined;
}

const factsOf = (map: ConfigMap): SourceFacts => configMapFacts(map, { names, key: undefined });
const copyNames = async (): Promise<string[]> =>
  (
    await client.list(kinds.ConfigMap, { namespace: 'shop', labelSelector: 'reloader.stakater.com/kept' })
  ).items
    .map(({ metadata }) => metadata.name)
    .sort();

function sourceOf(bad: ConfigMap, good: ConfigMap, keys?: readonly string[]): RestoreSource {
  const entry = (map: ConfigMap) => entryOf(factsOf(map), keys);
  return { ref: REF, key: 'cm/settings', keys, bad: formatEntry(entry(bad)), good: entry(good) };
}

interface Tried {
  readonly outcome: Awaited<ReturnType<typeof restore>>;
  readonly noted: readonly (readonly RestoringSource[])[];
}

async function attempt(
  source: RestoreSource,
  { copies = new KeptCopies({ client, names }), before = async () => {}, using = client } = {},
): Promise<Tried> {
  const noted: (readonly RestoringSource[])[] = [];
  const note = async (sources: readonly RestoringSource[]): Promise<void> => {
    noted.push(sources);
    if (noted.length === 1) await before();
  };
  const outcome = await restore({ client: using, names, copies }, [source], note, NEVER);
  return { outcome, noted };
}

/** There is a copy of `good`; the ConfigMap has `bad`. */
async function failure(
  good: Content,
  bad: Content,
  by?: string,
): Promise<{ good: ConfigMap; bad: ConfigMap }> {
  const first = await write(good);
  expect(await new KeptCopies({ client, names }).keep(factsOf(first), NEVER)).toBeUndefined();
  return { good: first, bad: await write(bad, by) };
}

describe('what failed is put back', () => {
  it('exactly, keys and binary data included, and noted before with the version that it replaces', async () => {
    const all = { data: { a: '1', b: '2' }, binaryData: { c: 'AAE=' } };
    const { good, bad } = await failure(all, { data: { a: 'bad', d: '4' } });
    const { outcome, noted } = await attempt(sourceOf(bad, good));
    expect(outcome).toEqual({ kind: 'restored' });
    const live = await read();
    expect([live?.data, live?.binaryData]).toEqual([all.data, all.binaryData]);
    const { resourceVersion: version } = bad.metadata;
    expect(noted).toEqual([[{ key: 'cm/settings', content: sourceOf(bad, good).bad, version }]]);
  });

  it('by the keys that count alone, where only some do', async () => {
    const { good, bad } = await failure(
      { data: { a: '1', b: '2' } },
      { data: { a: 'bad', b: 'newer', e: '5' } },
    );
    expect((await attempt(sourceOf(bad, good, ['a']))).outcome).toEqual({ kind: 'restored' });
    expect((await read())?.data).toEqual({ a: '1', b: 'newer', e: '5' });
  });

  it('not if another client writes at the same time: its write wins, and nothing stays noted', async () => {
    const { good, bad } = await failure({ data: { a: '1' } }, { data: { a: 'bad' } });
    const before = async (): Promise<void> => void (await write({ data: { a: 'newer' } }));
    const { outcome, noted } = await attempt(sourceOf(bad, good), { before });
    expect(outcome).toEqual({ kind: 'conflict' });
    expect(noted.at(-1)).toEqual([]);
    expect((await read())?.data).toEqual({ a: 'newer' });
  });

  it('not where it is no longer there, and nothing is noted', async () => {
    const { good, bad } = await failure({ data: { a: '1' } }, { data: { a: 'bad' } });
    await write({ data: { a: 'newer' } });
    expect(await attempt(sourceOf(bad, good))).toEqual({ outcome: { kind: 'conflict' }, noted: [] });
  });
});

describe('nothing is written or noted', () => {
  it.each<[string, string, string | undefined]>([
    ['a tool owns it', 'belongs to argocd-controller', 'argocd-controller'],
    ['an operator owns it', 'belongs to my-operator', 'my-operator'],
  ])('where %s', async (_, because, by) => {
    const { good, bad } = await failure({ data: { a: '1' } }, { data: { a: 'bad' } }, by);
    const { outcome, noted } = await attempt(sourceOf(bad, good));
    expect(outcome).toEqual({ kind: 'refused', message: expect.stringContaining(because) });
    expect(noted).toEqual([]);
    expect((await read())?.data).toEqual({ a: 'bad' });
  });

  it('where there is no copy, or one whose content is another', async () => {
    const { good, bad } = await failure({ data: { a: '1' } }, { data: { a: 'bad' } });
    const forged = sourceOf(bad, { ...good, data: { a: 'forged' } });
    expect((await attempt(forged)).outcome).toMatchObject({ kind: 'refused' });
    const [copy = ''] = await copyNames();
    await client.delete(kinds.ConfigMap, { namespace: 'shop', name: copy });
    const { outcome } = await attempt(sourceOf(bad, good));
    expect(outcome).toEqual({ kind: 'refused', message: expect.stringContaining('there is no copy') });
  });

  it('without the right: what was noted is taken back, and the message names it', async () => {
    const { good, bad } = await failure({ data: { a: '1' } }, { data: { a: 'bad' } });
    const status = { kind: 'Status', code: 403, reason: 'Forbidden', message: 'configmaps is forbidden' };
    const patch = async (): Promise<never> => {
      throw new ForbiddenError(status as never);
    };
    const { outcome, noted } = await attempt(sourceOf(bad, good), { using: { ...client, patch } as Client });
    expect(outcome).toEqual({
      kind: 'refused',
      message: expect.stringContaining('restoreConfigMaps grants it'),
    });
    expect(noted.at(-1)).toEqual([]);
  });
});

describe('a copy', () => {
  it('is immutable, labelled, owned by its source, and made once', async () => {
    const source = await write({ data: { a: '1' } });
    const copies = new KeptCopies({ client, names });
    await Promise.all([copies.keep(factsOf(source), NEVER), copies.keep(factsOf(source), NEVER)]);
    await new KeptCopies({ client, names }).keep(factsOf(source), NEVER);
    const [copy, ...others] = await copies.of(REF, source.metadata.uid, NEVER);
    expect(others).toEqual([]);
    expect(copy).toMatchObject({
      immutable: true,
      data: { a: '1' },
      metadata: {
        name: copyName('settings', factsOf(source).digest),
        labels: { 'reloader.stakater.com/kept': 'settings' },
        ownerReferences: [{ kind: 'ConfigMap', name: 'settings', uid: source.metadata.uid }],
      },
    });
  });

  it('has exactly the content of the digest, or is not made', async () => {
    const before = await write({ data: { a: '1' } });
    await write({ data: { a: '2' } });
    await new KeptCopies({ client, names }).keep(factsOf(before), NEVER);
    expect(await copyNames()).toEqual([]);
  });

  it('of a ConfigMap with an owner is not made', async () => {
    const owned = await write({ data: { a: '1' } }, 'argocd-controller');
    await new KeptCopies({ client, names }).keep(factsOf(owned), NEVER);
    expect(await copyNames()).toEqual([]);
  });

  it('makes room for the next: two at most, at every moment', async () => {
    const copies = new KeptCopies({ client, names });
    const made: string[] = [];
    for (const a of ['1', '2', '3', '4']) {
      const source = await write({ data: { a } });
      await copies.keep(factsOf(source), NEVER);
      made.push(copyName('settings', factsOf(source).digest));
      expect((await copyNames()).length).toBeLessThanOrEqual(2);
    }
    expect(await copyNames()).toContain(made.at(-1));
  });

  it('has a name and a label that Kubernetes takes, however long that of the source is', () => {
    const long = `${'a'.repeat(250)}.cd`;
    expect(copyName(long, 'x').length).toBeLessThanOrEqual(253);
    expect(copyName(long, 'x')).not.toBe(copyName(`b${long.slice(1)}`, 'x'));
    expect(copyName('settings', 'x')).toMatch(/^settings\.reloader-[0-9a-f]{8}$/);
    expect(copyLabel(long)).toMatch(/^[0-9a-f]{62}x$/);
  });
});

it('a field that the copy does not have is removed, and one that neither has is left alone', () => {
  const live = { metadata: { resourceVersion: '7' }, data: { a: '1' } } as unknown as ConfigMap;
  const copy = { metadata: {}, binaryData: { b: 'AA==' } } as unknown as ConfigMap;
  expect(restoreOperations(live, copy, undefined)).toEqual([
    { op: 'test', path: '/metadata/resourceVersion', value: '7' },
    { op: 'remove', path: '/data' },
    { op: 'add', path: '/binaryData', value: { b: 'AA==' } },
  ]);
});
