/** metav1.Condition lists. */
import type { Condition } from '@reloader/runtime';
import { choice, count, type Typed, text, time, typed } from './json-schema.ts';

const TYPE =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';

/** `types` lists the types of conditions. */
export function conditions(types: string): Typed<Condition[]> {
  return typed({
    description: 'The state in words.',
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: {
      description: 'One statement about the object.',
      type: 'object',
      required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
      properties: {
        type: text(types, { maxLength: 316, pattern: TYPE }),
        status: choice('Whether it holds.', 'True', 'False', 'Unknown'),
        reason: text('One word for programs.', {
          minLength: 1,
          maxLength: 1024,
          pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
        }),
        message: text('A sentence for people: what is wrong, and what to do about it.', { maxLength: 32768 }),
        lastTransitionTime: time('When `status` last changed.'),
        observedGeneration: count('The generation of the object that was looked at.'),
      },
    },
  });
}
