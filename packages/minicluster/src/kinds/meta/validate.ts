/** metadata: the same rules for every kind; only the name's syntax differs. */

import type { KubeObject } from '../../model/object.ts';
import type { FieldError } from '../../model/status.ts';
import { array, isAbsent, record, same, strings, text } from '../fields.ts';
import type { Kind } from '../kind.ts';
import { collect, Field } from '../validate/field.ts';
import { printed } from '../validate/go-format.ts';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../validate/names.ts';
import { validateLabels } from '../validate/selector.ts';

const ANNOTATION_BYTES = 256 * 1024;

/** All checks of metadata on create. */
export function validateObjectMeta(object: KubeObject, kind: Kind): FieldError[] {
  return collect(object, (root) => {
    const metadata = root.child('metadata');
    const rule = kind.nameRule ?? dnsSubdomain;
    const generateName = metadata.child('generateName');
    if (!generateName.empty) generateName.invalidAll(rule(maskTrailingDash(generateName.text)));
    const name = metadata.child('name');
    if (name.empty) name.required('name or generateName is required');
    else name.invalidAll(rule(name.text));

    const namespace = metadata.child('namespace');
    if (!kind.namespaced) {
      if (!namespace.empty) namespace.forbidden('not allowed on this type');
    } else if (namespace.empty) namespace.required();
    else namespace.invalidAll(dnsLabel(namespace.text));

    metadata.child('generation').notNegative();
    validateLabels(metadata.child('labels'));
    validateAnnotations(metadata.child('annotations'));
    validateOwnerReferences(metadata.child('ownerReferences'));
    validateFinalizers(metadata.child('finalizers'));
    validateManagedFields(metadata.child('managedFields'));
    if (!kind.freeFinalizers) validateFinalizerDomains(metadata.child('finalizers'));
  });
}

/** A generateName may end in a dash. */
const maskTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

/** Immutable fields, and the validation of mutable ones. The arguments are the new and the stored object. */
export function validateObjectMetaUpdate(object: KubeObject, old: KubeObject, kind: Kind): FieldError[] {
  return collect(object, (root) => {
    const metadata = root.child('metadata');
    const before = new Field(old.metadata, 'metadata', []);
    if (!before.child('deletionTimestamp').empty) {
      const known = new Set(array(old.metadata.finalizers));
      const added = array(object.metadata.finalizers).filter((finalizer) => !known.has(finalizer));
      if (added.length > 0) {
        metadata
          .child('finalizers')
          .forbidden(
            `no new finalizers can be added if the object is being deleted, found new finalizers ${goStrings(added)}`,
          );
      }
    }
    const generation = metadata.child('generation');
    if (generation.number < (old.metadata.generation ?? 0)) generation.invalid('must not be decremented');
    for (const name of IMMUTABLE) {
      const field = metadata.child(name);
      const was = before.child(name).value;
      if (!same(field.value ?? '', was ?? ''))
        field.invalid('field is immutable', unsetForm(name, field.value));
    }
    validateLabels(metadata.child('labels'));
    validateAnnotations(metadata.child('annotations'));
    validateOwnerReferences(metadata.child('ownerReferences'));
    validateManagedFields(metadata.child('managedFields'));
    if (!kind.freeFinalizers) validateFinalizerDomains(metadata.child('finalizers'));
  });
}

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
];

/** How an absent value of this field is printed: strings as empty, times and numbers as null. */
const unsetForm = (name: string, value: unknown): unknown =>
  isAbsent(value) ? (['name', 'namespace', 'uid'].includes(name) ? '' : null) : value;

const goStrings = (values: readonly unknown[]): string =>
  `[]string{${[...values].sort().map(printed).join(', ')}}`;

export function validateAnnotations(annotations: Field): void {
  let size = 0;
  for (const [key, value] of Object.entries(strings(annotations.value))) {
    annotations.invalidAll(qualifiedName(key.toLowerCase()), key);
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (size > ANNOTATION_BYTES) annotations.tooLong(ANNOTATION_BYTES);
}

function validateOwnerReferences(references: Field): void {
  let controller = '';
  for (const reference of array(references.value).map(record)) {
    // Upstream reports the list, not its entry.
    const field = references.as(reference);
    const apiVersion = text(reference.apiVersion);
    if (text(apiVersion.split('/').at(-1)) === '') {
      field.child('apiVersion').invalid('version must not be empty', apiVersion);
    }
    for (const name of ['kind', 'name', 'uid']) {
      if (text(reference[name]) === '') field.child(name).invalid('must not be empty', '');
    }
    if (apiVersion === 'v1' && reference.kind === 'Event') {
      field.invalid('/v1, Kind=Event is disallowed from being an owner');
    }
    if (reference.controller !== true) continue;
    const current = `${text(reference.kind)}/${text(reference.name)}`;
    if (controller) {
      references.invalid(
        `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`,
      );
    } else controller = current;
  }
}

function validateFinalizers(finalizers: Field): void {
  const names = array(finalizers.value);
  for (const name of names) finalizers.invalidAll(qualifiedName(text(name)), name);
  if (names.includes('orphan') && names.includes('foregroundDeletion')) {
    finalizers.invalid('finalizer orphan and foregroundDeletion cannot be both set');
  }
}

const STANDARD_FINALIZERS = ['orphan', 'foregroundDeletion', 'kubernetes'];

function validateFinalizerDomains(finalizers: Field): void {
  for (const finalizer of finalizers.items()) {
    if (finalizer.text.includes('/') || STANDARD_FINALIZERS.includes(finalizer.text)) continue;
    finalizer.invalid('name is neither a standard finalizer name nor is it fully qualified');
  }
}

function validateManagedFields(entries: Field): void {
  for (const entry of entries.items()) {
    const operation = entry.child('operation');
    if (operation.text !== 'Apply' && operation.text !== 'Update') {
      operation.invalid('must be `Apply` or `Update`', operation.text);
    }
    const fieldsType = entry.child('fieldsType');
    if (!fieldsType.empty && fieldsType.text !== 'FieldsV1') fieldsType.invalid('must be `FieldsV1`');
    const manager = entry.child('manager');
    if (Buffer.byteLength(manager.text) > 128) manager.tooLong(128);
    const subresource = entry.child('subresource');
    if (Buffer.byteLength(subresource.text) > 256) subresource.tooLong(256);
  }
}
