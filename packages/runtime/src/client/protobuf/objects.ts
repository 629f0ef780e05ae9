/**
 * Secrets and ConfigMaps from protobuf. Their values are bytes, as they are stored: nothing becomes a text that cannot
 * be erased, and nothing is encoded and decoded again. Field numbers are those of the API.
 */
import type { KubernetesObject, Stored, StoredMeta } from '../../model/types.ts';
import type { ResourceType } from '../resource.ts';
import { MessageReader } from './message.ts';
import { define, objectMetaOf } from './metadata.ts';

/** Bytes, or a text if the server answered in JSON: then base64, except for `data` of a ConfigMap. */
export type SourceBytes = Uint8Array | string;

/** A Secret with bytes as values. */
export interface SecretBytes extends KubernetesObject {
  type?: string;
  immutable?: boolean;
  data?: Record<string, SourceBytes>;
}

/** A ConfigMap with bytes as values. */
export interface ConfigMapBytes extends KubernetesObject {
  immutable?: boolean;
  data?: Record<string, SourceBytes>;
  binaryData?: Record<string, SourceBytes>;
}

/** Decodes one object in a range of a buffer. */
export type Decode<T extends KubernetesObject> = (bytes: Buffer, start: number, end: number) => Stored<T>;

const NONE: StoredMeta = { name: '', uid: '', resourceVersion: '' };

const decodeSecret: Decode<SecretBytes> = (bytes, start, end) => {
  const secret: Stored<SecretBytes> = { metadata: NONE };
  const message = new MessageReader(bytes, start, end);
  while (message.next()) {
    if (message.field === 1) secret.metadata = objectMetaOf(message.message());
    else if (message.field === 2) secret.data = withEntry(secret.data, message);
    else if (message.field === 3 && message.start < message.end) secret.type = message.text();
    else if (message.field === 5) secret.immutable = message.number !== 0;
  }
  return secret;
};

const decodeConfigMap: Decode<ConfigMapBytes> = (bytes, start, end) => {
  const map: Stored<ConfigMapBytes> = { metadata: NONE };
  const message = new MessageReader(bytes, start, end);
  while (message.next()) {
    if (message.field === 1) map.metadata = objectMetaOf(message.message());
    else if (message.field === 2) map.data = withEntry(map.data, message);
    else if (message.field === 3) map.binaryData = withEntry(map.binaryData, message);
    else if (message.field === 4) map.immutable = message.number !== 0;
  }
  return map;
};

const EMPTY = Buffer.alloc(0);

function withEntry(
  map: Record<string, SourceBytes> | undefined,
  field: MessageReader,
): Record<string, SourceBytes> {
  const entries = map ?? {};
  const entry = field.message();
  let key = '';
  let value: Buffer = EMPTY;
  while (entry.next()) {
    if (entry.field === 1) key = entry.text();
    else if (entry.field === 2) value = entry.bytes();
  }
  define(entries, key, value);
  return entries;
}

/**
 * Secrets that lists and watches read as protobuf where the server offers it, and JSON elsewhere. For a cache with a
 * projection that hashes the values: a value is valid until the next object is read.
 */
export const SecretsInBytes: ResourceType<SecretBytes> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  protobuf: decodeSecret,
};

/** ConfigMaps, read in the same way. */
export const ConfigMapsInBytes: ResourceType<ConfigMapBytes> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  protobuf: decodeConfigMap,
};
