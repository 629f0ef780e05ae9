import { expect, test } from 'vitest';
import type { ResourceType } from '../client/resource.ts';
import type { KubernetesObject, OwnerReference, Stored } from '../model/types.ts';
import {
  AlreadyOwnedError,
  controllerOf,
  isControlledBy,
  NotOwnedError,
  OwnerScopeError,
  setControllerReference,
} from './owners.ts';

const APPS: ResourceType = {
  group: 'example.com',
  version: 'v1',
  kind: 'App',
  plural: 'apps',
  namespaced: true,
};
const ZONES: ResourceType = {
  group: 'example.com',
  version: 'v1',
  kind: 'Zone',
  plural: 'zones',
  namespaced: false,
};

const app = (name = 'app', uid = 'uid-app', namespace = 'default'): Stored<KubernetesObject> => ({
  metadata: { name, namespace, uid, resourceVersion: '1' },
});
const zone: Stored<KubernetesObject> = { metadata: { name: 'zone', uid: 'uid-zone', resourceVersion: '1' } };
const child = (...ownerReferences: OwnerReference[]): KubernetesObject => ({
  kind: 'ConfigMap',
  metadata: { name: 'child', namespace: 'default', ...(ownerReferences.length > 0 && { ownerReferences }) },
});
const stranger: OwnerReference = {
  apiVersion: 'v1',
  kind: 'Other',
  name: 'x',
  uid: 'uid-x',
  controller: true,
};

test('a controller reference names the owner and blocks its deletion', () => {
  const object = child();
  setControllerReference(object, APPS, app());
  expect(object.metadata?.ownerReferences).toEqual([
    {
      apiVersion: 'example.com/v1',
      kind: 'App',
      name: 'app',
      uid: 'uid-app',
      controller: true,
      blockOwnerDeletion: true,
    },
  ]);
});

test('setting it twice changes nothing', () => {
  const object = child();
  setControllerReference(object, APPS, app());
  const once = structuredClone(object);
  setControllerReference(object, APPS, app());
  expect(object).toEqual(once);
});

test('a child that another controls is not taken', () => {
  const object = child(stranger);
  const take = () => setControllerReference(object, APPS, app());
  expect(take).toThrow(AlreadyOwnedError);
  expect(take).toThrow('ConfigMap "default/child" is already controlled by Other "x"');
  expect(object.metadata?.ownerReferences).toEqual([stranger]);
});

test('a child that exists and that nobody controls is adopted, unless that was ruled out', () => {
  const existing = { ...child(), metadata: { ...child().metadata, resourceVersion: '7' } };
  const careful = () => setControllerReference(existing, APPS, app(), { adopt: false });
  expect(careful).toThrow(NotOwnedError);
  expect(careful).toThrow('ConfigMap "default/child" exists and nobody controls it');
  setControllerReference(existing, APPS, app());
  expect(careful).not.toThrow();
  const fresh = child();
  setControllerReference(fresh, APPS, app(), { adopt: false });
  expect(isControlledBy(fresh, app())).toBe(true);
});

test('owners that do not control stay beside a new controller', () => {
  const plain = { ...stranger, controller: false };
  const object = child(plain);
  setControllerReference(object, APPS, app());
  expect(object.metadata?.ownerReferences).toHaveLength(2);
});

test('a newer API version or a re-created owner replaces its old reference', () => {
  const object = child();
  setControllerReference(object, { ...APPS, version: 'v1beta1' }, app());
  setControllerReference(object, APPS, app('app', 'uid-new'));
  expect(object.metadata?.ownerReferences).toMatchObject([{ apiVersion: 'example.com/v1', uid: 'uid-new' }]);
});

test('the same kind and name in another group is another owner', () => {
  const object = child();
  setControllerReference(object, { ...APPS, group: 'other.com' }, app('app', 'uid-other'));
  expect(() => setControllerReference(object, APPS, app())).toThrow(AlreadyOwnedError);
});

test('an owner in another namespace is refused', () => {
  expect(() => setControllerReference(child(), APPS, app('app', 'u', 'elsewhere'))).toThrow(OwnerScopeError);
});

test('a namespaced owner cannot own what is cluster-scoped', () => {
  const object: KubernetesObject = { kind: 'ClusterRole', metadata: { name: 'role' } };
  expect(() => setControllerReference(object, APPS, app())).toThrow(
    'cannot own the cluster-scoped ClusterRole "role"',
  );
});

test('a cluster-scoped owner may own both', () => {
  const object: KubernetesObject = { metadata: { name: 'role' } };
  setControllerReference(object, ZONES, zone);
  setControllerReference(child(), ZONES, zone);
  expect(isControlledBy(object, zone)).toBe(true);
});

test('controllerOf and isControlledBy go by the controller mark and the uid', () => {
  const object = child();
  expect(controllerOf(object)).toBeUndefined();
  setControllerReference(object, APPS, app());
  expect(controllerOf(object)?.name).toBe('app');
  expect(isControlledBy(object, app())).toBe(true);
  expect(isControlledBy(object, app('app', 'uid-new'))).toBe(false);
});
