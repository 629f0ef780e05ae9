/** Gives an account of the simulated cluster the permissions of a service account of the real one. */
import {
  AlreadyExistsError,
  type Client,
  type KubernetesObject,
  kinds,
  type ResourceType,
} from '@reloader/runtime';
import type { Permissions } from './stage.ts';

export async function permitAccount(
  client: Client,
  namespace: string,
  name: string,
  { cluster, own }: Permissions,
): Promise<void> {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', name, namespace }];
  const global = `${namespace}:${name}`;
  const put = async (type: ResourceType, object: KubernetesObject): Promise<void> => {
    try {
      await client.create(type, object);
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
      const { metadata, ...body } = object;
      await client.patch(type, metadata as { name: string }, { type: 'merge', body });
    }
  };
  const local = { name, namespace };
  await put(kinds.ServiceAccount, { metadata: local });
  await put(kinds.Role, { apiVersion, kind: 'Role', metadata: local, rules: own } as KubernetesObject);
  await put(kinds.RoleBinding, {
    apiVersion,
    kind: 'RoleBinding',
    metadata: local,
    roleRef: { apiGroup, kind: 'Role', name },
    subjects,
  } as KubernetesObject);
  await put(kinds.ClusterRole, {
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name: global },
    rules: cluster,
  } as KubernetesObject);
  await put(kinds.ClusterRoleBinding, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: global },
    roleRef: { apiGroup, kind: 'ClusterRole', name: global },
    subjects,
  } as KubernetesObject);
}
