/**
 * Decodes request bodies in Kubernetes' protobuf (`application/vnd.kubernetes.protobuf`) to JSON objects. The Go types of
 * the built-in kinds define the messages; custom resources have no protobuf.
 */
import { badRequest, type StatusError } from '../model/status.ts';
import type { GroupVersionKind } from '../schema/definitions.ts';
import { goStructFor } from '../schema/go-types.ts';
import type { JsonRecord } from '../schema/json.ts';
import { readMessage } from './messages.ts';
import { asBytes, asText, WireError, type WireValue, wireFields } from './wire-reader.ts';

/** The first bytes of every object. */
export const MAGIC: Uint8Array = Buffer.from('k8s\0', 'latin1');

function isProtobuf(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

/** The object with its apiVersion and kind. Throws 400 for invalid bytes. */
export function decodeProtobuf(bytes: Uint8Array): JsonRecord {
  try {
    const { apiVersion, kind, raw } = readEnvelope(bytes);
    const gvk = kindOf(apiVersion, kind);
    const struct = goStructFor(gvk);
    if (!struct) throw unknownKind(gvk);
    const identity = { ...(kind && { kind }), ...(apiVersion && { apiVersion }) };
    return { ...identity, ...readMessage(raw, struct) };
  } catch (error) {
    if (error instanceof WireError) throw unreadable(error.message);
    throw error;
  }
}

function kindOf(apiVersion: string, kind: string): GroupVersionKind {
  // Options belong to no group: each group has them under its own name.
  if (kind === 'DeleteOptions') return { group: '', version: 'v1', kind };
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind };
}

function unreadable(why: string): StatusError {
  return badRequest(`the protobuf body cannot be decoded: ${why}`);
}

function unknownKind({ group, version, kind }: GroupVersionKind): StatusError {
  const apiVersion = group ? `${group}/${version}` : version;
  return badRequest(
    `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
  );
}

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** The envelope of every object: its type and its bytes. */
function readEnvelope(bytes: Uint8Array): Envelope {
  if (!isProtobuf(bytes)) throw new WireError('provided data does not appear to be a protobuf message');
  const envelope = fieldsByNumber(bytes.subarray(MAGIC.length));
  const typeMeta = fieldsByNumber(asBytes(envelope.get(1) ?? new Uint8Array()));
  const text = (value: WireValue | undefined): string => (value === undefined ? '' : asText(value));
  return {
    apiVersion: text(typeMeta.get(1)),
    kind: text(typeMeta.get(2)),
    raw: asBytes(envelope.get(2) ?? new Uint8Array()),
  };
}

function fieldsByNumber(bytes: Uint8Array): Map<number, WireValue> {
  const fields = new Map<number, WireValue>();
  for (const { number, value } of wireFields(bytes)) fields.set(number, value);
  return fields;
}
