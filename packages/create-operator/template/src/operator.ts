/** Reconciles every __Kind__ to its spec. */
import { kinds, operator } from '@reloader/runtime';
import { __Kind__Kind } from './kind.ts';

export const __plural__Operator = operator(__Kind__Kind, { name: '__name__' })
  .owns(kinds.ConfigMap)
  .reconcile(async ({ object, ensure, status }) => {
    const { name } = object.metadata;
    await ensure(kinds.ConfigMap, name, (draft) => {
      draft.data = { message: object.spec.message };
    });
    status.configMap = name;
  });
