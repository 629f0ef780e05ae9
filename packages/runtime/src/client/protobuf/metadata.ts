/** Metadata from protobuf, in the shape that JSON has: what is empty is left out. Field numbers are those of the API. */
import type { ListMeta, ManagedFieldsEntry, OwnerReference, StoredMeta } from '../../model/types.ts';
import { isRecord, parseJson } from '../decode/json.ts';
import { Memo } from './memo.ts';
import type { MessageReader } from './message.ts';

export function objectMetaOf(message: MessageReader): StoredMeta {
  const meta: StoredMeta = { name: '', uid: '', resourceVersion: '' };
  while (message.next()) {
    const isEmpty = message.start === message.end;
    switch (message.field) {
      case 1:
        meta.name = message.text();
        break;
      case 2:
        if (!isEmpty) meta.generateName = message.text();
        break;
      case 3:
        if (!isEmpty) meta.namespace = message.text();
        break;
      case 5:
        meta.uid = message.text();
        break;
      case 6:
        meta.resourceVersion = message.text();
        break;
      case 7:
        if (message.number > 0) meta.generation = message.number;
        break;
      case 8:
        setTime(meta, 'creationTimestamp', message);
        break;
      case 9:
        setTime(meta, 'deletionTimestamp', message);
        break;
      case 10:
        meta.deletionGracePeriodSeconds = message.number;
        break;
      case 11:
        meta.labels ??= {};
        addEntry(meta.labels, message);
        break;
      case 12:
        meta.annotations ??= {};
        addEntry(meta.annotations, message);
        break;
      case 13:
        meta.ownerReferences ??= [];
        meta.ownerReferences.push(ownerOf(message.message()));
        break;
      case 14:
        meta.finalizers ??= [];
        meta.finalizers.push(message.text());
        break;
      case 17:
        meta.managedFields ??= [];
        meta.managedFields.push(managedFieldsOf(message.message()));
        break;
    }
  }
  return meta;
}

export function listMetaOf(message: MessageReader): ListMeta {
  const meta: ListMeta = {};
  while (message.next()) {
    if (message.field === 2) meta.resourceVersion = message.text();
    else if (message.field === 3 && message.start < message.end) meta.continue = message.text();
    else if (message.field === 4) meta.remainingItemCount = message.number;
  }
  return meta;
}

/** An entry of a map from text to text. */
function addEntry(map: Record<string, string>, field: MessageReader): void {
  const entry = field.message();
  let [key, value] = ['', ''];
  while (entry.next()) {
    if (entry.field === 1) key = entry.text();
    else if (entry.field === 2) value = entry.text();
  }
  define(map, key, value);
}

/** Also for the key `__proto__`, which an assignment would not add. */
export function define<V>(map: Record<string, V>, key: string, value: V): void {
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  else map[key] = value;
}

/** The year 9999: JSON cannot say more, and a time before 1970 is a larger number here. */
const LATEST_SECONDS = 253_402_300_799;

/** To the second, as the server writes it in JSON. */
function timeOf(message: MessageReader): string | undefined {
  let seconds: number | undefined;
  while (message.next()) if (message.field === 1) seconds = message.number;
  if (seconds === undefined || seconds > LATEST_SECONDS) return undefined;
  return times.get(seconds);
}

/** Many objects are written in the same second, by the same program. */
const times = new Memo((seconds: number) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z'));

function setTime(
  meta: StoredMeta,
  name: 'creationTimestamp' | 'deletionTimestamp',
  field: MessageReader,
): void {
  const time = timeOf(field.message());
  if (time !== undefined) meta[name] = time;
}

function ownerOf(message: MessageReader): OwnerReference {
  const owner: OwnerReference = { apiVersion: '', kind: '', name: '', uid: '' };
  while (message.next()) {
    if (message.field === 1) owner.kind = message.text();
    else if (message.field === 3) owner.name = message.text();
    else if (message.field === 4) owner.uid = message.text();
    else if (message.field === 5) owner.apiVersion = message.text();
    else if (message.field === 6) owner.controller = message.number !== 0;
    else if (message.field === 7) owner.blockOwnerDeletion = message.number !== 0;
  }
  return owner;
}

const MANAGED_TEXTS = {
  1: 'manager',
  2: 'operation',
  3: 'apiVersion',
  6: 'fieldsType',
  8: 'subresource',
} as const;

function managedFieldsOf(message: MessageReader): ManagedFieldsEntry {
  const entry: ManagedFieldsEntry = {};
  while (message.next()) {
    const { field, start, end } = message;
    const name = MANAGED_TEXTS[field as keyof typeof MANAGED_TEXTS];
    if (name !== undefined && start < end) entry[name] = message.text();
    else if (field === 4) {
      const time = timeOf(message.message());
      if (time !== undefined) entry.time = time;
    } else if (field === 7) {
      const fields = fieldsOf(message.message());
      if (fields) entry.fieldsV1 = fields;
    }
  }
  return entry;
}

/** JSON within protobuf. Objects that were written in the same way share it. */
function fieldsOf(message: MessageReader): object | undefined {
  let fields: object | undefined;
  while (message.next()) {
    if (message.field !== 1 || message.start === message.end) continue;
    const text = message.text();
    fields = text.length > LONGEST_SHARED ? parsedFields(text) : fieldMaps.get(text);
  }
  return fields;
}

const LONGEST_SHARED = 1_000;
const fieldMaps = new Memo(parsedFields);

function parsedFields(text: string): object | undefined {
  const fields = parseJson(text, 'An entry of managedFields');
  return isRecord(fields) ? Object.freeze(fields) : undefined;
}
