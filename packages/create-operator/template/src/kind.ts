/**
 * Defines the kind __Kind__. The type of its objects, its CustomResourceDefinition and its validation are derived
 * from it.
 */
import type { ObjectOf } from '@reloader/runtime';
import { defineKind, Type } from '@reloader/runtime/kind';

export const __Kind__Kind = defineKind({
  group: '__group__',
  version: '__version__',
  kind: '__Kind__',
  plural: '__plural__',
  description: 'Keeps a message in a ConfigMap.',
  spec: Type.Object({
    message: Type.String({ description: 'What stands in the ConfigMap.', minLength: 1, maxLength: 1024 }),
  }),
  // In addition to conditions, observedGeneration and phase, which are always there.
  status: { configMap: Type.Optional(Type.String({ description: 'Where the message stands.' })) },
});

export type __Kind__Object = ObjectOf<typeof __Kind__Kind>;
