/** ResourceQuotas and LimitRanges: stored and checked, not enforced. */

import type { KubeObject } from '../../../model/object.ts';
import { dig, fill, isRecord, record, records, text } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { age, column, name } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { qualifiedName } from '../../validate/names.ts';
import { quantity } from '../../validate/quantity.ts';
import { define, specOf } from '../define.ts';

function amounts(object: KubeObject, limits: boolean): string {
  const hard = record(dig(object, 'status', 'hard'));
  const used = record(dig(object, 'status', 'used'));
  return Object.keys(hard)
    .sort()
    .filter((resource) => resource.startsWith('limits.') === limits)
    .map((resource) => `${resource}: ${text(used[resource]) || '0'}/${text(hard[resource])}`)
    .join(', ');
}

export const resourceQuotas: Kind = define({
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  hasStatus: true,
  generation: 'never',
  columns: [
    name,
    column('Request', (object) => amounts(object, false)),
    column('Limit', (object) => amounts(object, true)),
    age,
  ],
  validateCreate: (object) => collect(object, validateQuota),
  validateUpdate: (object) => collect(object, validateQuota),
});

function validateQuota(root: Field): void {
  const hard = root.child('spec', 'hard');
  for (const resource of hard.keys()) {
    const amount = hard.key(resource);
    amount.invalidAll(qualifiedName(resource), resource);
    if ((quantity(amount.value) ?? 0n) < 0n)
      amount.invalid('must be greater than or equal to 0', String(amount.value));
  }
}

export const limitRanges: Kind = define({
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  generation: 'never',
  createOnUpdate: true,
  setDefaults(object) {
    for (const limit of records(specOf(object).limits)) {
      if (limit.type !== 'Container') continue;
      const most = record(limit.max);
      const defaults = isRecord(limit.default) ? limit.default : {};
      fill(defaults, most);
      const requests = isRecord(limit.defaultRequest) ? limit.defaultRequest : {};
      fill(requests, defaults);
      fill(requests, record(limit.min));
      if (Object.keys(defaults).length > 0) limit.default = defaults;
      if (Object.keys(requests).length > 0) limit.defaultRequest = requests;
    }
  },
  columns: [name, column('Created At', (object) => object.metadata.creationTimestamp, { type: 'date' })],
  validateCreate: (object) => collect(object, validateLimits),
  validateUpdate: (object) => collect(object, validateLimits),
});

function validateLimits(root: Field): void {
  const seen = new Set<string>();
  for (const limit of root.child('spec', 'limits').items()) {
    const type = limit.child('type');
    type.invalidAll(qualifiedName(type.text), type.text);
    if (seen.has(type.text)) type.duplicate();
    seen.add(type.text);
    if (type.text === 'Pod') {
      for (const field of ['default', 'defaultRequest']) {
        if (limit.child(field).count > 0) {
          limit.child(field).forbidden("may not be specified when `type` is 'Pod'");
        }
      }
    }
    for (const resource of limit.child('min').keys()) {
      const low = limit.child('min').key(resource);
      const high = record(limit.child('max').value)[resource];
      if ((quantity(low.value) ?? 0n) > (quantity(high) ?? quantity(low.value) ?? 0n)) {
        low.invalid(`min value ${String(low.value)} is greater than max value ${String(high)}`);
      }
    }
  }
}
