/** Validation of CustomResourceDefinitions. Schemas are validated in the schema folder. */
import type { KubeObject } from '../../model/object.ts';
import type { Schema } from '../../schema/schema.ts';
import { validateCrdSchema } from '../../schema/structural.ts';
import { array, dig, records, same, text } from '../fields.ts';
import type { Field } from '../validate/field.ts';
import { dns1035Label, dnsSubdomain } from '../validate/names.ts';
import { isEstablished } from './status.ts';

export function validateCrd(root: Field): void {
  const spec = root.child('spec');
  const name = root.child('metadata', 'name');
  if (!name.empty && name.text !== `${spec.child('names', 'plural').text}.${spec.child('group').text}`) {
    name.invalid('must be spec.names.plural+"."+spec.group');
  }
  validateSpec(spec);
  validateStoredVersions(root);
  validateProtectedGroup(root);
  validatePreserved(spec);
}

export function validateCrdUpdate(root: Field, old: KubeObject): void {
  const spec = root.child('spec');
  validateSpec(spec);
  const fixed = [['group'], ['names', 'plural']];
  if (isEstablished(old)) fixed.unshift(['scope'], ['names', 'kind']);
  for (const path of fixed) {
    const field = spec.child(...path);
    if (!same(field.value, dig(old, 'spec', ...path))) field.invalid('field is immutable', field.text);
  }
  validateStoredVersions(root);
  if (dig(old, 'spec', 'preserveUnknownFields') !== true) validatePreserved(spec);
}

function validateSpec(spec: Field): void {
  const group = spec.child('group');
  if (group.empty) group.required();
  else {
    const reasons = dnsSubdomain(group.text);
    if (reasons.length > 0) group.invalid(reasons.join(','));
    else if (!group.text.includes('.')) group.invalid('should be a domain with at least one dot');
  }
  spec.child('scope').oneOf(['Cluster', 'Namespaced']);
  const versions = spec.child('versions');
  const items = versions.items();
  for (const version of items) {
    const schema = version.child('schema', 'openAPIV3Schema');
    if (schema.absent) schema.required();
  }
  const places = new Places(spec);
  for (const version of items) validateVersion(version, places);
  const names = items.map((version) => version.child('name').text);
  if (new Set(names).size !== names.length) versions.invalid('must contain unique version names');
  if (records(versions.value).filter((version) => version.storage === true).length !== 1) {
    versions.invalid('must have exactly one version marked as storage version');
  }
  for (const field of ['plural', 'singular', 'kind', 'listKind']) {
    if (spec.child('names', field).empty) spec.child('names', field).required();
  }
  validateNames(spec.child('names'));
  for (const part of places.shared) validatePart(part, places.of(part, items[0] ?? spec));
  if (places.shared.includes('selectableFields')) {
    const fields = spec.child('selectableFields').as(items[0]?.child('selectableFields').value);
    if (places.shared.includes('schema')) validateSelectable(fields, schemaOf(items[0]));
    else if (fields.count > 0) fields.invalid('may only be set when validations.schema is included', '');
  }
  validateConversion(spec.child('conversion'));
}

function validateNames(names: Field): void {
  for (const field of ['plural', 'singular']) {
    const reasons = dns1035Label(names.child(field).text);
    if (!names.child(field).empty && reasons.length > 0) names.child(field).invalid(reasons.join(','));
  }
  for (const field of ['kind', 'listKind']) {
    const reasons = dns1035Label(names.child(field).text.toLowerCase());
    if (names.child(field).empty || reasons.length === 0) continue;
    names.child(field).invalid(`may have mixed case, but should otherwise match: ${reasons.join(',')}`);
  }
  for (const list of ['shortNames', 'categories']) {
    for (const item of names.child(list).items()) {
      const reasons = dns1035Label(item.text);
      if (reasons.length > 0) item.invalid(reasons.join(','));
    }
  }
  const listKind = names.child('listKind');
  if (!listKind.empty && listKind.text === names.child('kind').text) {
    listKind.invalid('kind and listKind may not be the same');
  }
}

type Part = 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields';
const PARTS: readonly Part[] = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'];

/** Fields shared by all versions are reported at the top, once, where the internal type has them. */
class Places {
  readonly #spec: Field;
  readonly shared: readonly Part[];

  constructor(spec: Field) {
    this.#spec = spec;
    const versions = records(spec.child('versions').value);
    this.shared = PARTS.filter((part) =>
      versions.every((version) => same(version[part], versions[0]?.[part])),
    );
  }

  /** A version's field, under the path that errors use. */
  of(part: Part, version: Field): Field {
    if (!this.shared.includes(part)) return version.child(part);
    const top = this.#spec.child(part === 'schema' ? 'validation' : part);
    return top.as(version.child(part).value);
  }
}

const schemaOf = (version: Field | undefined): unknown => version?.child('schema', 'openAPIV3Schema').value;

function validatePart(part: Part, field: Field): void {
  if (part === 'schema') {
    const schema = field.child('openAPIV3Schema');
    if (!schema.absent) field.add(validateCrdSchema(schema.value as Schema, schema.path));
  } else if (part === 'subresources') validateScalePaths(field);
  else if (part === 'additionalPrinterColumns') for (const column of field.items()) validateColumn(column);
}

function validateVersion(version: Field, places: Places): void {
  const name = version.child('name');
  const reasons = dns1035Label(name.text);
  if (reasons.length > 0) name.invalid(reasons.join(','), name.text);
  const warning = version.child('deprecationWarning');
  if (!warning.absent && version.child('deprecated').value !== true) {
    warning.invalid('can only be set for deprecated versions');
  }
  for (const part of PARTS) if (!places.shared.includes(part)) validatePart(part, version.child(part));
  const fields = version.child('selectableFields');
  if (places.shared.includes('selectableFields')) return;
  // Upstream looks for the schema next to the fields, and misses one that all versions share.
  if (!places.shared.includes('schema')) validateSelectable(fields, schemaOf(version));
  else if (fields.count > 0) {
    fields.invalid('may only be set when `version.schema.openAPIV3Schema` is not included', '');
  }
}

function validateScalePaths(subresources: Field): void {
  const scale = subresources.child('scale');
  if (scale.absent) return;
  const check = (name: string, roots: readonly string[], message: string): void => {
    const path = scale.child(name);
    if (path.empty) {
      if (name !== 'labelSelectorPath') path.required();
    } else if (!path.text.startsWith('.')) path.invalid('must be a simple json path starting with .');
    else if (!roots.some((root) => path.text.startsWith(root))) path.invalid(message);
  };
  check('specReplicasPath', ['.spec.'], 'should be a json path under .spec');
  check('statusReplicasPath', ['.status.'], 'should be a json path under .status');
  check('labelSelectorPath', ['.spec.', '.status.'], 'should be a json path under either .spec or .status');
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function validateColumn(column: Field): void {
  if (column.child('name').empty) column.child('name').required();
  const type = column.child('type');
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  if (type.empty) type.required(types);
  else if (!COLUMN_TYPES.includes(type.text)) type.invalid(types);
  const format = column.child('format');
  if (!format.empty && !COLUMN_FORMATS.includes(format.text)) {
    format.invalid(`must be one of ${COLUMN_FORMATS.join(',')}`);
  }
  const path = column.child('jsonPath');
  const shown = column.child('JSONPath');
  if (path.empty) shown.required();
  else if (!path.text.startsWith('.')) shown.invalid('must be a simple json path starting with .', path.text);
}

const SELECTABLE_TYPES = ['string', 'boolean', 'integer'];

function validateSelectable(selectable: Field, schema: unknown): void {
  const seen = new Set<string>();
  for (const item of selectable.items()) {
    const path = item.child('jsonPath');
    if (path.empty) {
      path.required();
      continue;
    }
    const names = path.text.replace(/^\./, '').split('.');
    const target = names.reduce<unknown>((inner, name) => dig(inner, 'properties', name), schema);
    if (target === undefined) {
      path.invalid('is an invalid path: does not refer to a valid field');
      continue;
    }
    if (names[0] === 'metadata') path.invalid('must not point to fields in metadata');
    if (!SELECTABLE_TYPES.includes(text(dig(target, 'type')))) {
      path.invalid(
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      );
    }
    if (seen.has(path.text)) path.duplicate();
    seen.add(path.text);
  }
  if (seen.size > 8) selectable.tooMany(8);
}

function validateConversion(conversion: Field): void {
  conversion.child('strategy').oneOf(['None', 'Webhook']);
  if (conversion.child('strategy').text !== 'Webhook') return;
  if (conversion.child('webhook', 'clientConfig').absent) {
    conversion.child('webhookClientConfig').required('required when strategy is set to Webhook');
  }
}

/** Stored data must stay readable. */
function validateStoredVersions(root: Field): void {
  const stored = root.child('status', 'storedVersions');
  if (stored.count === 0) {
    stored.invalid('must have at least one stored version', stored.value ?? null);
    return;
  }
  const versions = records(dig(root.value, 'spec', 'versions'));
  const left = new Set(array(stored.value));
  for (const version of versions) {
    if (version.storage === true && !left.has(version.name)) {
      stored.invalid(`must have the storage version ${text(version.name)}`);
    }
    // Upstream removes each name after the first match, so a duplicate version misses it.
    left.delete(version.name);
  }
  for (const item of stored.items()) {
    if (versions.some((version) => version.name === item.text)) continue;
    item.invalid(
      `missing from spec.versions; ${item.text} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${item.text} and removes ${item.text} from status.storedVersions`,
    );
  }
}

const APPROVAL = 'api-approved.kubernetes.io';

/** Groups of the Kubernetes project need an approval annotation. */
function validateProtectedGroup(root: Field): void {
  const group = root.child('spec', 'group').text;
  if (!/(^|\.)(k8s\.io|kubernetes\.io)$/.test(group)) return;
  const approval = root.child('metadata', 'annotations').key(APPROVAL);
  if (approval.empty) {
    approval.required(
      `protected groups must have approval annotation "${APPROVAL}", see https://github.com/kubernetes/enhancements/pull/1111`,
    );
  }
}

function validatePreserved(spec: Field): void {
  const preserve = spec.child('preserveUnknownFields');
  if (preserve.value !== true) return;
  preserve.invalid(
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
  );
}
