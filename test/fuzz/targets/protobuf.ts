/** Answers of the API server in protobuf: lists and watch events of Secrets, in chunks of any size. */

import { ApiError, DecodeError } from '../../../packages/runtime/src/client/errors.ts';
import {
  frame,
  secret,
  secretList,
  status,
} from '../../../packages/runtime/src/client/protobuf/encode.test.support.ts';
import { ProtobufListReader } from '../../../packages/runtime/src/client/protobuf/list-items.ts';
import { SecretsInBytes } from '../../../packages/runtime/src/client/protobuf/objects.ts';
import { ProtobufFraming } from '../../../packages/runtime/src/client/protobuf/watch-frames.ts';
import { VirtualClock } from '../../../packages/runtime/src/clock/virtual-clock.ts';
import { must, type Target } from '../target.ts';

const LARGEST = 4_096;
const SAMPLE = secret({
  name: 'a',
  annotations: { 'k8s.io/initial-events-end': 'true' },
  data: { key: Buffer.from('value') },
});
const decode = SecretsInBytes.protobuf as NonNullable<typeof SecretsInBytes.protobuf>;

export const protobuf: Target = {
  name: 'protobuf',
  code: ['runtime/src/client/protobuf/'],
  longest: LARGEST,
  words: ['k8s\0', '\n\u0001', '\u0012\u0000', '\u0080', '\u00ff\u00ff\u00ff\u00ff\u000f', '\0\0\0\u0004'],
  seeds: [
    secretList([SAMPLE, SAMPLE], '9', 'more'),
    secretList([], '9'),
    Buffer.concat([frame('ADDED', 'Secret', SAMPLE), frame('BOOKMARK', 'Secret', SAMPLE)]),
    frame('ERROR', 'Status', status(410, 'Expired', 'too old')),
    frame('LATER', 'Secret', SAMPLE),
  ].map((bytes) => bytes.toString('latin1')),
  run(input) {
    const bytes = Buffer.from(input, 'latin1');
    const size = 1 + ((bytes[0] ?? 0) % 17);
    for (const read of [list, events])
      must(read([bytes]) === read(chunks(bytes, size)), `read in chunks of ${size} it is something else`);
  },
};

function list(parts: readonly Buffer[]): string {
  return told((say) => {
    const reader = new ProtobufListReader(decode, (item) => say(item), LARGEST);
    for (const part of parts) reader.push(part);
    say(reader.end());
  });
}

function events(parts: readonly Buffer[]): string {
  return told((say) => {
    const decoding = {
      maxBytes: LARGEST,
      clock: new VirtualClock(),
      request: 'watch secrets',
      onUnknownType: (type: string) => say({ type }),
    };
    const framing = new ProtobufFraming(decoding, decode);
    for (const part of parts) for (const each of framing.push(part)) say(framing.eventOf(each) ?? null);
    framing.end();
  });
}

/** All that was read until the end or the first mistake. */
function told(read: (say: (what: unknown) => void) => void): string {
  const texts: string[] = [];
  try {
    read((what) => texts.push(JSON.stringify(what)));
  } catch (error) {
    if (!(error instanceof DecodeError || error instanceof ApiError)) throw error;
    texts.push(error.name);
  }
  return texts.join('\n');
}

function chunks(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}
