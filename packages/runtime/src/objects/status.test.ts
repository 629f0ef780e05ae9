import { expect, test } from 'vitest';
import { ForbiddenError, ServiceUnavailableError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import type { Condition, Stored } from '../model/types.ts';
import { setCondition } from './conditions.ts';
import { MemoryClient } from './memory-client.test.support.ts';
import { type WithStatus, withStatus, writeStatus } from './status.ts';

interface AppStatus {
  phase?: string;
  count?: number;
  conditions?: Condition[];
}
interface App extends WithStatus<AppStatus> {
  spec?: { size?: number };
}
const APPS: ResourceType<App> = {
  group: 'example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
  namespaced: true,
};
const KEY = { namespace: 'default', name: 'app' };

function setUp(status?: AppStatus) {
  const server = new MemoryClient();
  const app = server.seed(APPS, { metadata: KEY, spec: { size: 1 }, ...(status && { status }) });
  return { server, app, status: () => server.peek(APPS, KEY)?.status };
}

test('only what changed is sent, guarded by uid and version', async () => {
  const { server, app } = setUp({ phase: 'Progressing', count: 3 });
  const result = await writeStatus(server, APPS, app, (live) => ({ ...live.status, phase: 'Ready' }));
  expect(result.operation).toBe('patched');
  expect(result.object.status).toEqual({ phase: 'Ready', count: 3 });
  expect(server.requests).toMatchObject([
    {
      verb: 'patch',
      subresource: 'status',
      body: { metadata: { uid: app.metadata.uid }, status: { phase: 'Ready' } },
    },
  ]);
});

test('a status that is already so costs no request', async () => {
  const { server, app } = setUp({ phase: 'Ready' });
  expect((await writeStatus(server, APPS, app, () => ({ phase: 'Ready' }))).operation).toBe('none');
  expect(server.requests).toEqual([]);
});

test('what the new status leaves out is removed', async () => {
  const { server, app, status } = setUp({ phase: 'Ready', count: 3 });
  await writeStatus(server, APPS, app, () => ({ phase: 'Ready' }));
  expect(status()).toEqual({ phase: 'Ready' });
});

test('after a conflict it reads and computes again', async () => {
  const { server, app, status } = setUp({ count: 1 });
  server.edit(APPS, KEY, (live) => {
    live.status = { count: 5 };
  });
  await writeStatus(server, APPS, app, (live) => ({ count: (live.status?.count ?? 0) + 1 }));
  expect(server.verbs()).toEqual(['patch/status', 'get', 'patch/status']);
  expect(status()).toEqual({ count: 6 });
});

test('an object that is gone is reported, not thrown', async () => {
  const { server, app } = setUp();
  server.remove(APPS, KEY);
  expect((await writeStatus(server, APPS, app, () => ({ phase: 'Ready' }))).operation).toBe('gone');
});

test('another object of the same name is left alone', async () => {
  const { server, app, status } = setUp();
  server.remove(APPS, KEY);
  server.seed(APPS, { metadata: KEY });
  expect((await writeStatus(server, APPS, app, () => ({ phase: 'Ready' }))).operation).toBe('gone');
  expect(status()).toBeUndefined();
});

test('other errors are thrown', async () => {
  const { server, app } = setUp();
  server.before = () => {
    throw new ForbiddenError({ code: 403, reason: 'Forbidden' });
  };
  await expect(writeStatus(server, APPS, app, () => ({ phase: 'Ready' }))).rejects.toBeInstanceOf(
    ForbiddenError,
  );
});

test('withStatus writes what the work noted when it succeeds', async () => {
  const { server, app, status } = setUp();
  const result = await withStatus(server, APPS, app, async (draft) => {
    draft.phase = 'Ready';
    return 42;
  });
  expect(result).toBe(42);
  expect(status()).toEqual({ phase: 'Ready' });
});

test('withStatus writes what the work noted when it fails, and throws the failure', async () => {
  const { server, app, status } = setUp();
  const failing = withStatus(server, APPS, app, async (draft) => {
    draft.conditions = setCondition(
      draft.conditions,
      { type: 'Ready', status: 'False', reason: 'Broken' },
      0,
    );
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(status()?.conditions?.[0]).toMatchObject({ type: 'Ready', status: 'False', reason: 'Broken' });
});

test('withStatus does not touch the object that it was given', async () => {
  const { server, app } = setUp({ conditions: [] });
  const frozen: Stored<App> = structuredClone(app);
  Object.freeze(frozen.status);
  Object.freeze(frozen.status?.conditions);
  await withStatus(server, APPS, frozen, async (draft) => {
    draft.phase = 'Ready';
  });
  expect(frozen).toEqual(app);
});

test('when work and status both fail, both are reported and the work is the cause', async () => {
  const { server, app } = setUp();
  server.before = () => {
    throw new ServiceUnavailableError({ code: 503, reason: 'ServiceUnavailable', message: 'down' });
  };
  const failing = withStatus(server, APPS, app, async (draft) => {
    draft.phase = 'Failed';
    throw new Error('broken');
  });
  const error = await failing.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AggregateError);
  expect((error as AggregateError).errors.map(String)).toEqual([
    'Error: broken',
    'ServiceUnavailableError: down (503 ServiceUnavailable)',
  ]);
  expect((error as AggregateError).cause).toEqual(new Error('broken'));
});

test('a failure to write status after work that succeeded is thrown', async () => {
  const { server, app } = setUp();
  server.before = () => {
    throw new ForbiddenError({ code: 403, reason: 'Forbidden' });
  };
  const failing = withStatus(server, APPS, app, async (draft) => {
    draft.phase = 'Ready';
  });
  await expect(failing).rejects.toBeInstanceOf(ForbiddenError);
});

test('conditions that another controller wrote meanwhile stay beside ours', async () => {
  const { server, app, status } = setUp();
  await withStatus(server, APPS, app, async (draft) => {
    server.edit(APPS, KEY, (live) => {
      live.status = { conditions: setCondition([], { type: 'Theirs', status: 'True', reason: 'Seen' }, 0) };
    });
    draft.conditions = setCondition(draft.conditions, { type: 'Ready', status: 'True', reason: 'Done' }, 0);
  });
  expect(status()?.conditions?.map(({ type }) => type)).toEqual(['Theirs', 'Ready']);
});
