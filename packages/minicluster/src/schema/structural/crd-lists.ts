/** Types of lists and maps in a CRD's schema. */
import type { FieldError } from '../../model/status.ts';
import { isRecord, own } from '../json.ts';
import { forbidden, invalid, missing, notSupported } from './crd-errors.ts';

type Raw = Record<string, unknown>;

const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];

export function checkListSchema(schema: Raw, path: string): FieldError[] {
  const type = own(schema, 'x-kubernetes-list-type');
  const keys = own(schema, 'x-kubernetes-list-map-keys');
  const errors: FieldError[] = [];
  if (type !== undefined && schema.type !== 'array') {
    const why = 'must be array if x-kubernetes-list-type is specified';
    errors.push(schema.type ? invalid(`${path}.type`, schema.type, why) : missing(`${path}.type`, why));
  }
  if (type !== undefined && !LIST_TYPES.includes(String(type))) {
    errors.push(notSupported(`${path}.x-kubernetes-list-type`, type, LIST_TYPES));
  }
  const hasKeys = Array.isArray(keys) && keys.length > 0;
  if (hasKeys && type !== 'map') {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty';
    errors.push(
      type === undefined
        ? missing(`${path}.x-kubernetes-list-type`, why)
        : invalid(`${path}.x-kubernetes-list-type`, type, why),
    );
  }
  const items = isRecord(schema.items) ? schema.items : {};
  if (type === 'map') errors.push(...checkKeyedList(hasKeys ? (keys as unknown[]) : [], items, path));
  if (type === 'set') errors.push(...checkSet(items, `${path}.items`));
  return errors;
}

function checkKeyedList(keys: readonly unknown[], items: Raw, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(missing(at, 'must not be empty if x-kubernetes-list-type is map'));
  if (items.type && items.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(`${path}.items.type`, items.type, why));
    return errors;
  }
  const properties = isRecord(items.properties) ? items.properties : {};
  const required = Array.isArray(items.required) ? items.required : [];
  if (keys.some((key) => !isRecord(own(properties, String(key))))) {
    errors.push(invalid(at, keys, 'entries must all be names of item properties'));
  }
  if (new Set(keys).size < keys.length) errors.push(invalid(at, keys, 'must not contain duplicate entries'));
  for (const key of new Set(keys)) {
    const property = own(properties, String(key));
    if (!isRecord(property)) continue;
    const field = `${path}.items.properties[${String(key)}]`;
    if (property.type === 'object' || property.type === 'array') {
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${field}.type`, property.type, why));
    }
    if (property.default === undefined && !required.includes(key)) {
      const why =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(missing(`${field}.default`, why));
    }
    if (property.nullable === true) {
      errors.push(
        forbidden(
          `${field}.nullable`,
          'this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
        ),
      );
    }
  }
  return errors;
}

function checkSet(items: Raw, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    errors.push(forbidden(`${path}.nullable`, 'cannot be nullable when x-kubernetes-list-type is set'));
  }
  const mapType = own(items, 'x-kubernetes-map-type');
  if (items.type === 'object' && mapType !== 'atomic') {
    const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
    errors.push(invalid(`${path}.x-kubernetes-map-type`, mapType ?? null, why));
  }
  const listType = own(items, 'x-kubernetes-list-type');
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    const why = 'must be atomic as item of a list with x-kubernetes-list-type=set';
    errors.push(invalid(`${path}.x-kubernetes-list-type`, listType, why));
  }
  return errors;
}

export function checkMapSchema(schema: Raw, path: string): FieldError[] {
  const type = own(schema, 'x-kubernetes-map-type');
  if (type === undefined) return [];
  const errors: FieldError[] = [];
  if (schema.type !== 'object') {
    const why = 'must be object if x-kubernetes-map-type is specified';
    errors.push(schema.type ? invalid(`${path}.type`, schema.type, why) : missing(`${path}.type`, why));
  }
  if (!MAP_TYPES.includes(String(type)))
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, type, MAP_TYPES));
  return errors;
}
