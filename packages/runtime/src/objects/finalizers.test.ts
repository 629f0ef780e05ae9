import { expect, test } from 'vitest';
import { InvalidError, ServiceUnavailableError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import type { ObjectMeta } from '../model/types.ts';
import { addFinalizer, hasFinalizer, removeFinalizer, withFinalizer } from './finalizers.ts';
import { MemoryClient } from './memory-client.test.support.ts';

const APPS: ResourceType = {
  group: 'example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
  namespaced: true,
};
const KEY = { namespace: 'default', name: 'app' };
const OURS = 'example.com/ours';
const THEIRS = 'example.com/theirs';

function setUp(metadata: Partial<ObjectMeta> = {}) {
  const server = new MemoryClient();
  const app = server.seed(APPS, { metadata: { ...KEY, ...metadata } });
  return { server, app, finalizers: () => server.peek(APPS, KEY)?.metadata.finalizers };
}

test('the first finalizer is added only where there is none', async () => {
  const { server, app, finalizers } = setUp();
  const result = await addFinalizer(server, APPS, app, OURS);
  expect(hasFinalizer(result, OURS)).toBe(true);
  expect(finalizers()).toEqual([OURS]);
  expect(server.requests[0]?.body).toEqual([
    { op: 'test', path: '/metadata/uid', value: app.metadata.uid },
    { op: 'test', path: '/metadata/finalizers', value: null },
    { op: 'add', path: '/metadata/finalizers', value: [OURS] },
  ]);
});

test('another one is appended to the list that was seen', async () => {
  const { server, app, finalizers } = setUp({ finalizers: [THEIRS] });
  await addFinalizer(server, APPS, app, OURS);
  expect(finalizers()).toEqual([THEIRS, OURS]);
  expect(server.requests[0]?.body).toContainEqual({
    op: 'test',
    path: '/metadata/finalizers',
    value: [THEIRS],
  });
});

test('one that is there costs no request', async () => {
  const { server, app } = setUp({ finalizers: [OURS] });
  await addFinalizer(server, APPS, app, OURS);
  expect(server.requests).toEqual([]);
});

test('two controllers that add at the same time both succeed', async () => {
  const { server, app, finalizers } = setUp();
  await Promise.all([addFinalizer(server, APPS, app, OURS), addFinalizer(server, APPS, app, THEIRS)]);
  expect([...(finalizers() ?? [])].sort()).toEqual([OURS, THEIRS]);
});

test('an object that is being deleted gets no new finalizer', async () => {
  const { server, app } = setUp({ finalizers: [THEIRS], deletionTimestamp: '2030-01-01T00:00:00Z' });
  expect(hasFinalizer(await addFinalizer(server, APPS, app, OURS), OURS)).toBe(false);
  expect(server.requests).toEqual([]);
});

test('a finalizer without a domain is refused', async () => {
  const { server, app } = setUp();
  await expect(addFinalizer(server, APPS, app, 'cleanup')).rejects.toThrow('must be qualified with a domain');
});

test('a removal names place and value', async () => {
  const { server, app, finalizers } = setUp({ finalizers: [THEIRS, OURS] });
  await removeFinalizer(server, APPS, app, OURS);
  expect(finalizers()).toEqual([THEIRS]);
  expect(server.requests[0]?.body).toEqual([
    { op: 'test', path: '/metadata/uid', value: app.metadata.uid },
    { op: 'test', path: '/metadata/finalizers/1', value: OURS },
    { op: 'remove', path: '/metadata/finalizers/1' },
  ]);
});

test('a removal whose place has moved reads again and never takes the wrong one', async () => {
  const { server, app, finalizers } = setUp({ finalizers: [THEIRS, OURS, 'example.com/third'] });
  server.edit(APPS, KEY, (live) => {
    live.metadata.finalizers = [OURS, 'example.com/third'];
  });
  await removeFinalizer(server, APPS, app, OURS);
  expect(server.verbs()).toEqual(['patch', 'get', 'patch']);
  expect(finalizers()).toEqual(['example.com/third']);
});

test('two controllers that remove at the same time never remove each other’s', async () => {
  const { server, app } = setUp({ finalizers: [THEIRS, OURS, 'example.com/third'] });
  await Promise.all([removeFinalizer(server, APPS, app, OURS), removeFinalizer(server, APPS, app, THEIRS)]);
  expect(server.peek(APPS, KEY)?.metadata.finalizers).toEqual(['example.com/third']);
});

test('removing from an object that is gone is fine', async () => {
  const { server, app } = setUp({ finalizers: [OURS] });
  server.remove(APPS, KEY);
  expect(await removeFinalizer(server, APPS, app, OURS)).toBeUndefined();
});

test('removing one that is not there costs no request', async () => {
  const { server, app } = setUp({ finalizers: [THEIRS] });
  await removeFinalizer(server, APPS, app, OURS);
  expect(server.requests).toEqual([]);
});

test('a re-created object of the same name keeps its finalizer', async () => {
  const { server, app, finalizers } = setUp({ finalizers: [OURS] });
  server.remove(APPS, KEY);
  server.seed(APPS, { metadata: { ...KEY, finalizers: [OURS] } });
  await removeFinalizer(server, APPS, app, OURS);
  expect(finalizers()).toEqual([OURS]);
});

test('a permanent refusal is thrown unchanged', async () => {
  const { server, app } = setUp({ finalizers: [OURS] });
  server.before = ({ verb }) => {
    if (verb === 'patch')
      throw new InvalidError({ code: 422, reason: 'Invalid', message: 'spec.size: required' });
  };
  await expect(removeFinalizer(server, APPS, app, OURS)).rejects.toBeInstanceOf(InvalidError);
  expect(server.verbs().filter((verb) => verb === 'patch')).toHaveLength(5);
});

function flow(
  server: MemoryClient,
  steps: string[],
  cleanup: () => Promise<string | undefined> = async () => undefined,
) {
  return withFinalizer<typeof APPS extends ResourceType<infer T> ? T : never, string>(KEY, {
    client: server,
    type: APPS,
    finalizer: OURS,
    cleanup: async () => {
      steps.push('cleanup');
      return cleanup();
    },
    reconcile: async (object) => {
      steps.push(`reconcile with ${object.metadata.finalizers}`);
      return 'reconciled';
    },
  });
}

test('the flow puts the finalizer on before the first work', async () => {
  const { server } = setUp();
  const steps: string[] = [];
  expect(await flow(server, steps)).toBe('reconciled');
  expect(server.verbs()).toEqual(['get', 'patch']);
  expect(steps).toEqual([`reconcile with ${OURS}`]);
});

test('the flow stops cleanly when there is no object', async () => {
  const steps: string[] = [];
  expect(await flow(new MemoryClient(), steps)).toBeUndefined();
  expect(steps).toEqual([]);
});

test('the flow cleans up a deleted object and then removes the finalizer', async () => {
  const { server } = setUp({ finalizers: [OURS] });
  await server.delete(APPS, KEY);
  const steps: string[] = [];
  expect(await flow(server, steps)).toBeUndefined();
  expect(steps).toEqual(['cleanup']);
  expect(server.peek(APPS, KEY)).toBeUndefined();
});

test('the flow leaves a deleted object alone that is not ours any more', async () => {
  const { server } = setUp({ finalizers: [THEIRS] });
  await server.delete(APPS, KEY);
  const steps: string[] = [];
  await flow(server, steps);
  expect(steps).toEqual([]);
});

test('a cleanup that fails keeps the finalizer and is run again', async () => {
  const { server, finalizers } = setUp({ finalizers: [OURS] });
  await server.delete(APPS, KEY);
  const steps: string[] = [];
  let broken = true;
  const cleanup = async (): Promise<undefined> => {
    if (broken) throw new ServiceUnavailableError({ code: 503 });
  };
  await expect(flow(server, steps, cleanup)).rejects.toBeInstanceOf(ServiceUnavailableError);
  expect(finalizers()).toEqual([OURS]);
  broken = false;
  await flow(server, steps, cleanup);
  expect(server.peek(APPS, KEY)).toBeUndefined();
});

test('a cleanup that says "not finished" keeps the finalizer and passes its result on', async () => {
  const { server, finalizers } = setUp({ finalizers: [OURS] });
  await server.delete(APPS, KEY);
  expect(await flow(server, [], async () => 'look again')).toBe('look again');
  expect(finalizers()).toEqual([OURS]);
});

test('an object deleted just before the finalizer was added is not worked on', async () => {
  const { server } = setUp();
  const steps: string[] = [];
  server.before = ({ verb }) => {
    if (verb !== 'patch' || !server.peek(APPS, KEY)) return;
    server.before = undefined;
    server.edit(APPS, KEY, (live) => {
      live.metadata.finalizers = [THEIRS];
      live.metadata.deletionTimestamp = '2030-01-01T00:00:00Z';
    });
  };
  expect(await flow(server, steps)).toBeUndefined();
  expect(steps).toEqual([]);
});
