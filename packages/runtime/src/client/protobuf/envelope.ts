/**
 * The envelope that the API server puts around a protobuf object: four bytes, then a message with the kind and the bytes
 * of the object.
 */
import type { Status, StatusDetails } from '../../model/types.ts';
import { DecodeError } from '../errors.ts';
import { MessageReader } from './message.ts';
import { listMetaOf } from './metadata.ts';

export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
export const MAGIC = Buffer.from('k8s\0', 'latin1');

export function isProtobuf(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-type']?.startsWith(PROTOBUF_TYPE) === true;
}

export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The range of the object. */
  readonly start: number;
  readonly end: number;
}

export function envelopeOf(bytes: Buffer, from: number, to: number): Envelope {
  if (to - from < MAGIC.length || bytes.compare(MAGIC, 0, MAGIC.length, from, from + MAGIC.length) !== 0) {
    throw new DecodeError(
      'An answer in protobuf does not begin as such: look for a proxy that changes answers',
    );
  }
  let [apiVersion, kind, start, end] = ['', '', to, to];
  const message = new MessageReader(bytes, from + MAGIC.length, to);
  while (message.next()) {
    if (message.field === 1) ({ apiVersion, kind } = typeOf(message.message()));
    else if (message.field === 2) ({ start, end } = message);
  }
  return { apiVersion, kind, start, end };
}

export function typeOf(message: MessageReader): { readonly apiVersion: string; readonly kind: string } {
  let [apiVersion, kind] = ['', ''];
  while (message.next()) {
    if (message.field === 1) apiVersion = message.text();
    else if (message.field === 2) kind = message.text();
  }
  return { apiVersion, kind };
}

/** How the server says what went wrong. */
export function statusOf(message: MessageReader): Status {
  const status: Status = { kind: 'Status', apiVersion: 'v1' };
  while (message.next()) {
    if (message.field === 1) status.metadata = listMetaOf(message.message());
    else if (message.field === 2) status.status = message.text() as 'Success' | 'Failure';
    else if (message.field === 3) status.message = message.text();
    else if (message.field === 4) status.reason = message.text();
    else if (message.field === 5) status.details = detailsOf(message.message());
    else if (message.field === 6) status.code = message.number;
  }
  return status;
}

function detailsOf(message: MessageReader): StatusDetails {
  const details: StatusDetails = {};
  while (message.next()) {
    if (message.field === 1) details.name = message.text();
    else if (message.field === 2) details.group = message.text();
    else if (message.field === 3) details.kind = message.text();
    else if (message.field === 5) details.retryAfterSeconds = message.number;
    else if (message.field === 6) details.uid = message.text();
    else if (message.field === 4) {
      const cause: NonNullable<StatusDetails['causes']>[number] = {};
      const inner = message.message();
      while (inner.next()) {
        if (inner.field === 1) cause.reason = inner.text();
        else if (inner.field === 2) cause.message = inner.text();
        else if (inner.field === 3) cause.field = inner.text();
      }
      details.causes ??= [];
      details.causes.push(cause);
    }
  }
  return details;
}
