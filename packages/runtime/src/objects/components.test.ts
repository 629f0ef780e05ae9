import { expect, test } from 'vitest';
import type { ResourceType } from '../client/resource.ts';
import type { KubernetesObject, Stored } from '../model/types.ts';
import {
  type Component,
  deleteIfOwned,
  managementState,
  reconcileComponent,
  setComponentConditions,
  UnknownManagementStateError,
} from './components.ts';
import { MemoryClient } from './memory-client.test.support.ts';
import { setControllerReference } from './owners.ts';

const APPS: ResourceType = {
  group: 'example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
  namespaced: true,
};
const SERVICES: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};
const KEY = { namespace: 'default', name: 'web' };
const OWNER: Stored<KubernetesObject> = {
  metadata: { name: 'app', namespace: 'default', uid: 'uid-app', resourceVersion: '1' },
};

function component(fail?: Error): { component: Component; calls: string[] } {
  const calls: string[] = [];
  const call = (name: string) => async (): Promise<void> => {
    calls.push(name);
    if (fail) throw fail;
  };
  return { component: { name: 'Ingress', ensure: call('ensure'), remove: call('remove') }, calls };
}

test.each<[string | undefined, string[], string, string]>([
  ['Managed', ['ensure'], 'True', 'Managed'],
  [undefined, ['ensure'], 'True', 'Managed'],
  ['Removed', ['remove'], 'False', 'Removed'],
  ['Unmanaged', [], 'Unknown', 'Unmanaged'],
])('state %s calls %j and reports %s %s', async (state, expected, status, reason) => {
  const { component: part, calls } = component();
  const outcome = await reconcileComponent(part, state, 5);
  expect(calls).toEqual(expected);
  expect(outcome.error).toBeUndefined();
  expect(outcome.condition).toMatchObject({ type: 'IngressReady', status, reason, observedGeneration: 5 });
});

test.each(['managed', 'Force', ''])('state "%s" is an error and nothing is done', async (state) => {
  const { component: part, calls } = component();
  const outcome = await reconcileComponent(part, state);
  expect(calls).toEqual([]);
  expect(outcome.state).toBeUndefined();
  expect(outcome.error).toBeInstanceOf(UnknownManagementStateError);
  expect(outcome.condition).toMatchObject({ status: 'False', reason: 'UnknownManagementState' });
  expect(outcome.condition.message).toContain(`"${state}": it must be Managed, Removed, Unmanaged`);
});

test('a failure is part of the outcome, with a reason of its own', async () => {
  const failure = new Error('no class');
  const outcome = await reconcileComponent(component(failure).component, 'Managed');
  expect(outcome.error).toBe(failure);
  expect(outcome.condition).toMatchObject({ status: 'False', reason: 'IngressFailed', message: 'no class' });
});

test('outcomes become conditions beside those that are there', async () => {
  const outcomes = [await reconcileComponent(component().component, 'Managed')];
  const before = setComponentConditions(
    [],
    [{ state: 'Managed', condition: { type: 'Other', status: 'True', reason: 'Fine' } }],
    0,
  );
  const list = setComponentConditions(before, outcomes, 0);
  expect(list.map(({ type }) => type)).toEqual(['Other', 'IngressReady']);
});

test('managementState names the component', () => {
  expect(() => managementState('Cache', 'Gone')).toThrow('Component "Cache" has management state "Gone"');
});

function serviceOwnedBy(owner: Stored<KubernetesObject> | undefined) {
  const server = new MemoryClient();
  const service: KubernetesObject = { metadata: { ...KEY } };
  if (owner) setControllerReference(service, APPS, owner);
  return { server, service: server.seed(SERVICES, service) };
}

test('what the owner controls is deleted, exactly as seen', async () => {
  const { server, service } = serviceOwnedBy(OWNER);
  expect(await deleteIfOwned(server, SERVICES, KEY, OWNER)).toBe('deleted');
  const { uid, resourceVersion } = service.metadata;
  expect(server.requests.at(-1)).toMatchObject({ verb: 'delete', body: { uid, resourceVersion } });
  expect(server.peek(SERVICES, KEY)).toBeUndefined();
});

test('an object without a controller is left alone', async () => {
  const { server } = serviceOwnedBy(undefined);
  expect(await deleteIfOwned(server, SERVICES, KEY, OWNER)).toBe('foreign');
  expect(server.writes).toEqual([]);
});

test('what an owner of the same name with another uid controls is left alone', async () => {
  const { server } = serviceOwnedBy({ metadata: { ...OWNER.metadata, uid: 'uid-older' } });
  expect(await deleteIfOwned(server, SERVICES, KEY, OWNER)).toBe('foreign');
  expect(server.writes).toEqual([]);
});

test('an absent object is no error', async () => {
  expect(await deleteIfOwned(new MemoryClient(), SERVICES, KEY, OWNER)).toBe('absent');
});

test('an object that changed its owner since it was cached is read again', async () => {
  const { server, service } = serviceOwnedBy(OWNER);
  server.edit(SERVICES, KEY, (live) => {
    live.metadata.ownerReferences = [];
  });
  expect(await deleteIfOwned(server, SERVICES, KEY, OWNER, { live: service })).toBe('foreign');
  expect(server.peek(SERVICES, KEY)).toBeDefined();
});

test('an object deleted in between is no error', async () => {
  const { server, service } = serviceOwnedBy(OWNER);
  server.remove(SERVICES, KEY);
  expect(await deleteIfOwned(server, SERVICES, KEY, OWNER, { live: service })).toBe('absent');
});
