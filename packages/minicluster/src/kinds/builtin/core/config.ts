/** ConfigMaps and Secrets. */

import type { KubeObject } from '../../../model/object.ts';
import { jsonSyntaxProblem } from '../../../schema/go-json.ts';
import { isAbsent, isRecord, record, same, setField, strings, text } from '../../fields.ts';
import type { Kind } from '../../kind.ts';
import { age, column, name } from '../../table.ts';
import { collect, type Field } from '../../validate/field.ts';
import { dataKey } from '../../validate/names.ts';
import { define, notSupported, textAt } from '../define.ts';

const LIMIT = 1024 * 1024;
const FIXED = 'field is immutable when `immutable` is set';

const sizeOfBase64 = (value: unknown): number => Buffer.from(text(value), 'base64').length;
const countOf = (value: unknown): number => Object.keys(record(value)).length;

/** An immutable object cannot be changed. */
function validateImmutability(root: Field, old: KubeObject, fields: readonly string[]): void {
  if (old.immutable !== true) return;
  if (root.child('immutable').value !== true) root.child('immutable').forbidden(FIXED);
  for (const field of fields) {
    if (!same(root.child(field).value, old[field])) root.child(field).forbidden(FIXED);
  }
}

export const configMaps: Kind = define({
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  generation: 'never',
  checksMetadataTwice: true,
  columns: [name, column('Data', (object) => countOf(object.data) + countOf(object.binaryData)), age],
  validateCreate: (object) => collect(object, validateConfigMap),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      validateImmutability(root, old, ['data', 'binaryData']);
      validateConfigMap(root);
    }),
});

function validateConfigMap(root: Field): void {
  let size = 0;
  const binary = root.child('binaryData');
  const data = root.child('data');
  for (const key of data.keys()) {
    data.key(key).invalidAll(dataKey(key), key);
    if (Object.hasOwn(record(binary.value), key))
      data.key(key).invalid('duplicate of key present in binaryData', key);
    size += Buffer.byteLength(data.key(key).text);
  }
  for (const key of binary.keys()) {
    binary.key(key).invalidAll(dataKey(key), key);
    size += sizeOfBase64(binary.key(key).value);
  }
  // Upstream passes no field here, and prints empty brackets.
  if (size > LIMIT) root.named('[]').tooLong(LIMIT);
}

export const secrets: Kind = define({
  kind: 'Secret',
  plural: 'secrets',
  generation: 'never',
  checksMetadataTwice: true,
  selectableFields: { type: textAt('type') },
  unknownFieldLabel: notSupported,
  columns: [name, column('Type', textAt('type')), column('Data', (object) => countOf(object.data)), age],
  setDefaults(object) {
    if (isRecord(object.stringData)) {
      const data = isRecord(object.data) ? object.data : {};
      for (const [key, value] of Object.entries(strings(object.stringData))) {
        setField(data, key, Buffer.from(value).toString('base64'));
      }
      object.data = data;
    }
    delete object.stringData;
    if (isAbsent(object.type) || object.type === '') object.type = 'Opaque';
  },
  validateCreate: (object) => collect(object, validateSecret),
  validateUpdate: (object, old) =>
    collect(object, (root) => {
      if (object.type !== old.type) root.child('type').invalid('field is immutable');
      validateImmutability(root, old, ['data']);
      validateSecret(root);
    }),
});

const requireKey =
  (key: string) =>
  (data: Field): void => {
    if (isAbsent(data.key(key).value)) data.key(key).required();
  };

const requireJson =
  (key: string) =>
  (data: Field): void => {
    const entry = data.key(key);
    if (entry.absent) {
      entry.required();
      return;
    }
    const content = Buffer.from(entry.text, 'base64').toString();
    const problem = jsonProblem(content);
    if (problem) entry.invalid(problem, '<secret contents redacted>');
  };

/** The error of content that is no JSON object, in the server's words. */
function jsonProblem(content: string): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return jsonSyntaxProblem(content);
  }
  if (isRecord(parsed) || parsed === null) return undefined;
  const kind = Array.isArray(parsed) ? 'array' : typeof parsed === 'boolean' ? 'bool' : typeof parsed;
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}

/** Required data keys of Secret types. */
const TYPES: ReadonlyMap<string, (data: Field, root: Field) => void> = new Map(
  Object.entries<(data: Field, root: Field) => void>({
    'kubernetes.io/tls': (data) => {
      requireKey('tls.crt')(data);
      requireKey('tls.key')(data);
    },
    'kubernetes.io/dockerconfigjson': requireJson('.dockerconfigjson'),
    'kubernetes.io/dockercfg': requireJson('.dockercfg'),
    'kubernetes.io/basic-auth': (data) => {
      if (data.key('username').absent && data.key('password').absent) {
        data.key('username').required();
        data.key('password').required();
      }
    },
    'kubernetes.io/ssh-auth': (data) => {
      if (data.key('ssh-privatekey').empty) data.key('ssh-privatekey').required();
    },
    'kubernetes.io/service-account-token': (_, root) => {
      const account = root.child('metadata', 'annotations').key('kubernetes.io/service-account.name');
      if (account.empty) account.required();
    },
  }),
);

function validateSecret(root: Field): void {
  const data = root.child('data');
  let size = 0;
  for (const key of data.keys()) {
    data.key(key).invalidAll(dataKey(key), key);
    size += sizeOfBase64(data.key(key).value);
  }
  if (size > LIMIT) data.tooLong(LIMIT);
  TYPES.get(root.child('type').text)?.(data, root);
}
