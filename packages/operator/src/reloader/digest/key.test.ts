import { startMinicluster } from '@reloader/minicluster';
import { type Client, createClient, ForbiddenError, kinds, type ResourceType } from '@reloader/runtime';
import { createCapturingLogger, VirtualClock } from '@reloader/runtime/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DIGEST_KEY_NAME, DigestKeyError, loadDigestKey } from './key.ts';

const HOUR = 3_600_000;

async function setUp() {
  const clock = new VirtualClock();
  const cluster = await startMinicluster({ clock, seed: 1, workloads: false });
  onTestFinished(() => cluster.stop());
  const client = createClient({ transport: cluster.transport(), clock });
  const capturing = createCapturingLogger();
  const load = (mode: 'keyed' | 'sha1' = 'keyed', by: Pick<Client, 'create' | 'get'> = client) =>
    loadDigestKey({ client: by, namespace: 'default', clock, logger: capturing.logger, mode });
  return { clock, client, load, capturing, seconds: () => Math.floor(clock.now() / 1000) };
}

function forbidding(client: Client, ...verbs: ('create' | 'get')[]): Pick<Client, 'create' | 'get'> {
  const refuse = async (): Promise<never> => {
    throw new ForbiddenError({ code: 403, reason: 'Forbidden', message: 'no' });
  };
  return {
    create: verbs.includes('create') ? refuse : client.create,
    get: verbs.includes('get') ? refuse : client.get,
  };
}

describe('The digest key', () => {
  it('is made at the first start and read at every later one', async () => {
    const { load, clock, seconds } = await setUp();
    const installed = seconds();
    const first = await load();
    await clock.advance(HOUR);
    expect(await load()).toEqual(first);
    expect(first.key).toHaveLength(32);
    expect(first.keyId).toMatch(/^[A-Za-z0-9_-]{8}$/);
    expect(first.installedAt).toBe(installed);
  });

  it('is another in every installation, and so is its name', async () => {
    const [one, other] = [await (await setUp()).load(), await (await setUp()).load()];
    expect(one.key).not.toEqual(other.key);
    expect(one.keyId).not.toBe(other.keyId);
  });

  it('is the same for two replicas that start together', async () => {
    const { load } = await setUp();
    const [one, other] = await Promise.all([load(), load()]);
    expect(one).toEqual(other);
  });

  it('is read where it may not be created', async () => {
    const { load, client } = await setUp();
    const made = await load();
    expect(await load('keyed', forbidding(client, 'create'))).toEqual(made);
  });

  /** A client with all permissions except for Secrets. */
  const withoutSecrets = (client: Client): Pick<Client, 'create' | 'get'> => {
    const refuse = (type: ResourceType): void => {
      if (type.kind === 'Secret') throw new ForbiddenError({ code: 403, reason: 'Forbidden', message: 'no' });
    };
    return {
      create: async (type, ...rest) => {
        refuse(type);
        return client.create(type, ...rest);
      },
      get: async (type, ...rest) => {
        refuse(type);
        return client.get(type, ...rest);
      },
    };
  };

  it('is stored in a ConfigMap if Secrets are forbidden, with a warning', async () => {
    const { load, client, capturing, clock, seconds } = await setUp();
    const installed = seconds();
    const loaded = await load('keyed', withoutSecrets(client));
    expect(loaded).toMatchObject({ place: 'config-map', installedAt: installed });
    expect(loaded.key).toHaveLength(32);
    expect(capturing.messages('warn')).toEqual([expect.stringContaining('stands in a ConfigMap')]);
    await clock.advance(HOUR);
    expect(await load('keyed', withoutSecrets(client))).toEqual(loaded);
    expect(JSON.stringify(capturing.entries)).not.toContain(Buffer.from(loaded.key ?? '').toString('base64'));
  });

  it('is kept in the process if nothing can be stored, and is another after a restart', async () => {
    const { load, client, capturing, seconds } = await setUp();
    const loaded = await load('keyed', forbidding(client, 'create', 'get'));
    expect(loaded).toMatchObject({ place: 'process', installedAt: seconds() });
    // The next process has another key and would reject everything that this one signed as forged.
    expect(loaded.codes.key).toBeUndefined();
    expect(loaded.key).toHaveLength(32);
    expect(capturing.messages('warn')).toEqual([expect.stringContaining('in memory only')]);
    const again = await load('keyed', forbidding(client, 'create', 'get'));
    expect(again.keyId).not.toBe(loaded.keyId);
  });

  it('is never left out silently: plain hashes have to be asked for by name', async () => {
    const { load, client } = await setUp();
    for (const verbs of [['create'], ['get'], ['create', 'get']] as const) {
      expect((await load('keyed', forbidding(client, ...verbs))).key).toBeDefined();
    }
    expect(await load('sha1')).toMatchObject({ key: undefined, place: 'none' });
  });

  it('comes with the previous key after a rotation', async () => {
    const { load, client } = await setUp();
    const before = await load();
    const at = { namespace: 'default', name: DIGEST_KEY_NAME };
    const old = Buffer.from(before.key ?? '').toString('base64');
    const data = { key: Buffer.alloc(32, 1).toString('base64'), 'previous-key': old };
    await client.patch(kinds.Secret, at, { type: 'merge', body: { data } });
    const after = await load();
    expect(after.previous).toEqual({ key: before.key, keyId: before.keyId });
    expect(after.keyId).not.toBe(before.keyId);
    expect(after.codes).toEqual({ key: after.key, previous: before.key });
  });

  it('is not used for plain hashes, exists for manifests of Jobs, and causes no warning', async () => {
    const { load, client, capturing } = await setUp();
    const plain = await load('sha1');
    expect(plain).toMatchObject({ key: undefined, keyId: undefined, previous: undefined });
    expect(plain.codes.key).toHaveLength(32);
    expect((await load('sha1')).codes).toEqual(plain.codes);
    expect((await load()).key).toEqual(plain.codes.key);
    expect((await client.list(kinds.ConfigMap, { namespace: 'default' })).items).toEqual([]);
    expect(capturing.entries).toEqual([]);
  });

  it('is never put into a ConfigMap for plain hashes, even if Secrets are forbidden', async () => {
    const { load, client, capturing } = await setUp();
    expect((await load('sha1', withoutSecrets(client))).codes.key).toBeUndefined();
    expect((await client.list(kinds.ConfigMap, { namespace: 'default' })).items).toEqual([]);
    expect(capturing.entries).toEqual([]);
  });

  it('takes the time of the installation from an older history for plain hashes', async () => {
    const { load, client, clock, seconds } = await setUp();
    const installed = seconds();
    const metadata = { namespace: 'default', name: 'reloader-history' };
    await client.create(kinds.ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
    await clock.advance(HOUR);
    expect((await load('sha1')).installedAt).toBe(installed);
    await clock.advance(HOUR);
    expect((await load('sha1')).installedAt).toBe(installed);
  });

  it('is refused where the Secret holds none', async () => {
    const { load, client } = await setUp();
    const metadata = { namespace: 'default', name: DIGEST_KEY_NAME };
    await client.create(kinds.Secret, { apiVersion: 'v1', kind: 'Secret', metadata, data: { key: 'YQ==' } });
    await expect(load()).rejects.toThrow(DigestKeyError);
  });
});
