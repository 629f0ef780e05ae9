/** The objects of a new cluster. */
import { DEFAULT_CLUSTER_ROLE_BINDINGS, DEFAULT_CLUSTER_ROLES } from '../auth/default-roles.ts';
import type { KindRef, LocalApi } from '../model/local-api.ts';

const STARTER = 'kube-apiserver';
const RBAC = 'rbac.authorization.k8s.io';

const kind = (group: string, plural: string): KindRef => ({ group, plural });

export function bootstrap(api: LocalApi): void {
  const create = (ref: KindRef, objects: readonly object[]): void => {
    for (const object of objects) api.create(ref, object, STARTER);
  };
  create(
    kind('', 'namespaces'),
    ['kube-system', 'kube-public', 'kube-node-lease', 'default'].map((name) => ({ metadata: { name } })),
  );
  create(kind(RBAC, 'clusterroles'), DEFAULT_CLUSTER_ROLES);
  create(kind(RBAC, 'clusterrolebindings'), DEFAULT_CLUSTER_ROLE_BINDINGS);
  create(kind('', 'services'), [
    {
      metadata: {
        name: 'kubernetes',
        namespace: 'default',
        labels: { component: 'apiserver', provider: 'kubernetes' },
      },
      spec: {
        clusterIP: '10.0.0.1',
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 443 }],
      },
    },
  ]);
}
