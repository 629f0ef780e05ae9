/**
 * Answers in Kubernetes' protobuf (`application/vnd.kubernetes.protobuf`): objects, lists, metadata only, statuses, and
 * the events of a watch. Custom resources and tables have no protobuf.
 */
import type { GroupVersionKind } from '../schema/definitions.ts';
import { goStructFor, goStructNamed } from '../schema/go-types.ts';
import { isRecord, type JsonRecord, own } from '../schema/json.ts';
import { MAGIC } from './protobuf.ts';
import { MessageWriter } from './wire-writer.ts';
import { writeMessage } from './write-message.ts';

type Write = (object: JsonRecord) => MessageWriter;

const LIST = 'List';
const LENGTH_BYTES = 4;

/** Whether the objects of a kind can be written. */
export const hasProtobuf = (kind: GroupVersionKind): boolean => goStructFor(kind) !== undefined;

/** The object, which names its kind, in its envelope; undefined if that kind has no protobuf. */
export function encodeProtobuf(object: unknown): Uint8Array | undefined {
  if (!isRecord(object)) return undefined;
  const apiVersion = String(object.apiVersion ?? '');
  const kind = String(object.kind ?? '');
  const write = writerOf(apiVersion, kind);
  if (!write) return undefined;
  const type = new MessageWriter().text(1, apiVersion).text(2, kind);
  const envelope = new MessageWriter().message(1, type).message(2, write(object)).text(3, '').text(4, '');
  return Buffer.concat([MAGIC, envelope.finish()]);
}

/** One event of a watch, behind its length; undefined if the object's kind has no protobuf. */
export function encodeProtobufEvent(type: string, object: unknown): Uint8Array | undefined {
  const encoded = encodeProtobuf(object);
  if (!encoded) return undefined;
  const event = new MessageWriter().text(1, type).message(2, new MessageWriter().bytes(1, encoded)).finish();
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

function writerOf(apiVersion: string, kind: string): Write | undefined {
  if (kind === 'Status') return writeStatus;
  if (kind === 'PartialObjectMetadata') return writeMetadata;
  const slash = apiVersion.indexOf('/');
  const [group, version] = [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
  const struct = goStructFor({ group, version, kind });
  if (struct) return (object) => writeMessage(object, struct);
  const item = kind.endsWith(LIST) ? writerOf(apiVersion, kind.slice(0, -LIST.length)) : undefined;
  return item && ((list) => writeList(list, item));
}

const writeMetadata: Write = ({ metadata }) =>
  new MessageWriter().message(1, writeMessage(metadata as JsonRecord, goStructNamed('v1.ObjectMeta')));

function writeList({ metadata, items }: JsonRecord, write: Write): MessageWriter {
  const list = new MessageWriter().message(1, listMetaOf(metadata));
  for (const item of items as JsonRecord[]) list.message(2, write(item));
  return list;
}

function listMetaOf(metadata: unknown): MessageWriter {
  const { resourceVersion, continue: next, remainingItemCount } = (metadata ?? {}) as JsonRecord;
  return new MessageWriter()
    .text(1, '')
    .text(2, String(resourceVersion ?? ''))
    .text(3, String(next ?? ''))
    .integer(4, remainingItemCount as number | undefined);
}

function writeStatus(status: JsonRecord): MessageWriter {
  const text = (name: string): string => String(own(status, name) ?? '');
  const { details, code } = status;
  return new MessageWriter()
    .message(1, listMetaOf(status.metadata))
    .text(2, text('status'))
    .text(3, text('message'))
    .text(4, text('reason'))
    .message(5, isRecord(details) ? detailsOf(details) : undefined)
    .integer(6, Number(code ?? 0));
}

function detailsOf(details: JsonRecord): MessageWriter {
  const text = (from: JsonRecord, name: string): string => String(own(from, name) ?? '');
  const message = new MessageWriter()
    .text(1, text(details, 'name'))
    .text(2, text(details, 'group'))
    .text(3, text(details, 'kind'));
  for (const cause of (details.causes ?? []) as JsonRecord[]) {
    message.message(
      4,
      new MessageWriter()
        .text(1, text(cause, 'reason'))
        .text(2, text(cause, 'message'))
        .text(3, text(cause, 'field')),
    );
  }
  return message.integer(5, Number(details.retryAfterSeconds ?? 0)).text(6, text(details, 'uid'));
}
