import { describe, expect, test } from 'vitest';
import { ConflictError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { createOrUpdate } from './create-or-update.ts';
import { MemoryClient } from './memory-client.test.support.ts';
import type { WithStatus } from './status.ts';

interface App extends WithStatus<{ phase?: string }> {
  spec?: { replicas?: number; strategy?: string; ports?: { port: number; protocol?: string }[] };
}
const APPS: ResourceType<App> = {
  group: 'example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
  namespaced: true,
};
const KEY = { namespace: 'default', name: 'app' };

/** The object after the API server filled in defaults. */
const DEFAULTED: App = {
  metadata: KEY,
  spec: { replicas: 1, strategy: 'Rolling', ports: [{ port: 80, protocol: 'TCP' }] },
};

function setUp(object?: App) {
  const server = new MemoryClient();
  return { server, live: object && server.seed(APPS, object), peek: () => server.peek(APPS, KEY) };
}

const wantOne = (draft: App): void => {
  draft.spec = { replicas: 1, ports: [{ port: 80 }] };
};
const wantTwo = (draft: App): void => {
  draft.spec = { replicas: 2, ports: [{ port: 80 }] };
};

const upsert = createOrUpdate<App>;

describe('createOrUpdate', () => {
  test(`creates what is missing`, async () => {
    const { server, peek } = setUp();
    const result = await upsert(server, APPS, KEY, wantOne);
    expect(result.operation).toBe('created');
    expect(server.verbs()).toEqual(['get', 'create']);
    expect(peek()).toMatchObject({
      apiVersion: 'example.com/v1',
      kind: 'App',
      metadata: KEY,
      spec: { replicas: 1 },
    });
  });

  test(`writes nothing when a whole spec is assigned and only defaults differ`, async () => {
    const { server } = setUp(DEFAULTED);
    expect((await upsert(server, APPS, KEY, wantOne)).operation).toBe('none');
    expect(server.verbs()).toEqual(['get']);
  });

  test(`run twice writes once`, async () => {
    const { server } = setUp(DEFAULTED);
    expect((await upsert(server, APPS, KEY, wantTwo)).operation).toBe('updated');
    expect((await upsert(server, APPS, KEY, wantTwo)).operation).toBe('none');
    expect(server.writes).toHaveLength(1);
  });

  test(`needs no read when a cache gives the object`, async () => {
    const { server, live } = setUp(DEFAULTED);
    await upsert(server, APPS, KEY, wantOne, live ? { live } : {});
    expect(server.requests).toEqual([]);
  });

  test(`needs no read when a cache says that there is none`, async () => {
    const { server } = setUp();
    await upsert(server, APPS, KEY, wantOne, { live: null });
    expect(server.verbs()).toEqual(['create']);
  });

  test(`goes on when the cache was behind and the object exists`, async () => {
    const { server, peek } = setUp(DEFAULTED);
    const result = await upsert(server, APPS, KEY, wantTwo, { live: null });
    expect(result.operation).toBe('updated');
    expect(server.verbs().slice(0, 2)).toEqual(['create', 'get']);
    expect(peek()?.spec?.replicas).toBe(2);
  });

  test(`reads and mutates again after a conflict`, async () => {
    const { server, live, peek } = setUp(DEFAULTED);
    server.edit(APPS, KEY, (other) => {
      other.metadata.labels = { theirs: 'yes' };
    });
    let mutations = 0;
    await upsert(
      server,
      APPS,
      KEY,
      (draft) => {
        mutations++;
        wantTwo(draft);
      },
      live ? { live } : {},
    );
    expect(mutations).toBe(2);
    expect(peek()).toMatchObject({ metadata: { labels: { theirs: 'yes' } }, spec: { replicas: 2 } });
  });

  test(`gives up after five conflicts`, async () => {
    const { server } = setUp(DEFAULTED);
    server.before = ({ verb }) => {
      if (verb !== 'get') throw new ConflictError({ code: 409, reason: 'Conflict' });
    };
    const clock = new VirtualClock();
    let error: unknown;
    upsert(server, APPS, KEY, wantTwo, { clock }).catch((thrown) => {
      error = thrown;
    });
    await clock.advance(1_000);
    expect(error).toBeInstanceOf(ConflictError);
    expect(server.writes).toHaveLength(5);
  });

  test(`does not change the cached object`, async () => {
    const { server, live } = setUp(DEFAULTED);
    const before = structuredClone(live);
    await upsert(server, APPS, KEY, wantTwo, live ? { live } : {});
    expect(live).toEqual(before);
  });

  test(`refuses a function that renames the object`, async () => {
    const { server } = setUp(DEFAULTED);
    const rename = upsert(server, APPS, KEY, (draft) => {
      draft.metadata = { ...draft.metadata, name: 'other' };
    });
    await expect(rename).rejects.toThrow('"default/app" renamed it to "default/other"');
    expect(server.writes).toEqual([]);
  });
});

test('createOrUpdate leaves the status out of it', async () => {
  const { server } = setUp({ ...DEFAULTED, status: { phase: 'Old' } });
  const result = await createOrUpdate(server, APPS, KEY, (draft) => {
    draft.status = { phase: 'New' };
  });
  expect(result.operation).toBe('none');
});

test('the field manager is passed on', async () => {
  const { server } = setUp();
  let seen: string | undefined;
  const create = server.create.bind(server);
  server.create = (type, object, options) => {
    seen = options?.fieldManager;
    return create(type, object, options);
  };
  await createOrUpdate(server, APPS, KEY, wantOne, { fieldManager: 'me' });
  expect(seen).toBe('me');
});
