/** metav1.LabelSelector, with rules that refuse mistakes which Kubernetes' own schema allows. */
import type { LabelSelector } from '@reloader/runtime';
import { choice, labels, list, object, type Typed, text, typed } from '../json-schema.ts';

/**
 * The runtime's type allows any text as operator, because not every selector that it reads was validated by a schema.
 */
export function labelSelector(description: string): Typed<LabelSelector> {
  return typed({
    description,
    type: 'object',
    'x-kubernetes-map-type': 'atomic',
    properties: {
      matchLabels: labels('Labels that must be there with exactly these values.'),
      matchExpressions: list(
        'Further requirements; all of them must hold.',
        32,
        object(
          'One requirement on one label.',
          {
            key: text('The label.', { minLength: 1, maxLength: 317 }),
            operator: choice(
              'How the label relates to `values`; `Exists` and `DoesNotExist` take none.',
              'In',
              'NotIn',
              'Exists',
              'DoesNotExist',
            ),
            values: list(
              'At least one for `In` and `NotIn`.',
              64,
              typed<string>({ type: 'string', maxLength: 63 }),
            ),
          },
          {
            required: ['key', 'operator'],
            // An object that was stored without an operator, which an earlier definition allowed, must not make a rule
            // fail to evaluate: the API server would refuse every write to it, the status included.
            'x-kubernetes-validations': [
              {
                rule: "!has(self.operator) || self.operator in ['Exists', 'DoesNotExist'] || (has(self.values) && size(self.values) > 0)",
                message: 'values must not be empty with In and NotIn',
              },
              {
                rule: "!has(self.operator) || self.operator in ['In', 'NotIn'] || !has(self.values) || size(self.values) == 0",
                message: 'values must be empty with Exists and DoesNotExist',
              },
            ],
          },
        ),
      ),
    },
  });
}
