/** metav1.LabelSelector, with the mistakes that it allows refused at once. */
import { choice, type JsonSchema, labels, list, text } from '../json-schema.ts';

export function labelSelector(description: string): JsonSchema {
  return {
    description,
    type: 'object',
    'x-kubernetes-map-type': 'atomic',
    properties: {
      matchLabels: labels('Labels that must be there with exactly these values.'),
      matchExpressions: list('Further requirements; all of them must hold.', 32, {
        description: 'One requirement on one label.',
        type: 'object',
        required: ['key', 'operator'],
        properties: {
          key: text('The label.', { minLength: 1, maxLength: 317 }),
          operator: choice(
            'How the label relates to `values`; `Exists` and `DoesNotExist` take none.',
            'In',
            'NotIn',
            'Exists',
            'DoesNotExist',
          ),
          values: list('At least one for `In` and `NotIn`.', 64, { type: 'string', maxLength: 63 }),
        },
        'x-kubernetes-validations': [
          {
            rule: "self.operator in ['Exists', 'DoesNotExist'] || (has(self.values) && size(self.values) > 0)",
            message: 'values must not be empty with In and NotIn',
          },
          {
            rule: "self.operator in ['In', 'NotIn'] || !has(self.values) || size(self.values) == 0",
            message: 'values must be empty with Exists and DoesNotExist',
          },
        ],
      }),
    },
  };
}
