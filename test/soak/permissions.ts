/** What the operator may do in a soak: the product's list, and what its second controller needs. */
import { PRODUCT } from '../reloader/rbac.ts';
import type { Permissions } from '../reloader/stage.ts';

export const OPERATOR_NAMESPACE = 'reloader';

export const SOAK_PERMISSIONS: Permissions = {
  cluster: [
    ...PRODUCT.cluster,
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch', 'delete'] },
    { apiGroups: ['podconfig.example.com'], resources: ['*'], verbs: ['*'] },
  ],
  own: PRODUCT.own,
};
