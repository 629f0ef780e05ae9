/** Permissions of the operator in a soak: the product's list, and those of its second controller. */
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
