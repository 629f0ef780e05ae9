import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import { createClient } from '../create-client.ts';
import { cut, cuts, everyByte, streamOf } from '../decode/chunks.test.support.ts';
import { watchEvents } from '../decode/watch-events.ts';
import { DecodeError, ForbiddenError, GoneError } from '../errors.ts';
import { memoryTransport } from '../memory-transport.test.support.ts';
import {
  enveloped,
  field,
  frame,
  numberField,
  type Sample,
  secret,
  secretList,
  status,
} from './encode.test.support.ts';
import { readProtobufList } from './list-items.ts';
import { MessageReader } from './message.ts';
import { SecretsInBytes } from './objects.ts';
import { ProtobufFraming } from './watch-frames.ts';

const unknown: string[] = [];
const decoding = {
  maxBytes: 100_000,
  clock: new VirtualClock(),
  request: 'watch secrets',
  onUnknownType: (type: string) => void unknown.push(type),
};
const decode = SecretsInBytes.protobuf;
if (!decode) throw new Error('Secrets are read as protobuf');

/** Values are views that are valid until the next object: they are read at once. */
const copied = (object: object): unknown =>
  JSON.parse(
    JSON.stringify(object, (_, value) =>
      value?.type === 'Buffer' ? { hex: Buffer.from(value.data).toString('hex') } : value,
    ),
  );

const expected = ({ name, version = '1', annotations = {}, data = {} }: Sample): unknown =>
  copied({
    metadata: {
      name,
      uid: 'u',
      resourceVersion: version,
      namespace: 'shop',
      creationTimestamp: '2023-11-14T22:13:20Z',
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    ...(Object.keys(data).length > 0 && {
      data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)])),
    }),
    type: 'Opaque',
  });

async function watched(
  chunks: Iterable<Uint8Array | string>,
  maxBytes = decoding.maxBytes,
): Promise<unknown[]> {
  const options = { ...decoding, maxBytes };
  const events: unknown[] = [];
  for await (const event of watchEvents(
    streamOf(chunks),
    options,
    new ProtobufFraming(options, decode as never),
  ))
    events.push(copied(event));
  return events;
}

async function listed(chunks: Iterable<Uint8Array | string>, maxBytes = decoding.maxBytes): Promise<unknown> {
  const items: unknown[] = [];
  const metadata = await readProtobufList(
    streamOf(chunks),
    decode as never,
    (item) => items.push(copied(item)),
    {
      ...decoding,
      maxBytes,
    },
  );
  return { metadata, items };
}

const anySample: fc.Arbitrary<Sample> = fc.record({
  name: fc.stringMatching(/^[a-z]{1,12}$/),
  version: fc.nat().map(String),
  annotations: fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ unit: 'grapheme', maxLength: 20 }), {
    maxKeys: 3,
  }),
  data: fc.dictionary(fc.string({ maxLength: 8 }), fc.uint8Array({ maxLength: 300 }), { maxKeys: 4 }),
});
const anySamples = fc.array(anySample, { maxLength: 6 });
const event = (sample: Sample): Buffer => frame('MODIFIED', 'Secret', secret(sample));
const shown = (sample: Sample): object => ({
  type: 'MODIFIED',
  object: { ...(expected(sample) as object), apiVersion: 'v1', kind: 'Secret' },
});

describe('a watch in protobuf', () => {
  it('gives the same events for any chunking', async () => {
    await fc.assert(
      fc.asyncProperty(anySamples, cuts, async (samples, positions) => {
        const bytes = Buffer.concat(samples.map(event));
        expect(await watched(cut(bytes, positions))).toEqual(samples.map(shown));
      }),
      { numRuns: 150 },
    );
  });

  it('gives the same events with a chunk boundary at every byte', async () => {
    const samples = [
      { name: 'a', data: { key: Buffer.from('value') } },
      { name: 'b', annotations: { __proto__x: 'y' } },
    ];
    expect(await watched(everyByte(Buffer.concat(samples.map(event))))).toEqual(samples.map(shown));
  });

  it('gives bookmarks, and skips events of an unknown type', async () => {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const chunks = [
      frame('LATER', 'Secret', secret({ name: 'a' })),
      frame('BOOKMARK', 'Secret', secret({ name: '', version: '7' })),
      frame('BOOKMARK', 'Secret', secret({ name: '', version: '8', annotations })),
    ];
    expect(await watched(chunks)).toEqual([
      { type: 'BOOKMARK', resourceVersion: '7', initialEventsEnd: false },
      { type: 'BOOKMARK', resourceVersion: '8', initialEventsEnd: true },
    ]);
    expect(unknown).toEqual(['LATER']);
  });

  it('ends with the error that the server sends', async () => {
    const chunks = [frame('ERROR', 'Status', status(410, 'Expired', 'too old resource version'))];
    await expect(watched(chunks)).rejects.toThrow(GoneError);
    await expect(watched(chunks)).rejects.toThrow('too old resource version');
  });

  it('refuses an event that was cut, one that is too long, and one without an object', async () => {
    const whole = event({ name: 'a', data: { key: Buffer.alloc(500, 'secret') } });
    for (const end of [2, 4, whole.length - 1])
      await expect(watched([whole.subarray(0, end)])).rejects.toThrow(/ended in the middle of an event/);
    await expect(watched([whole], 300)).rejects.toThrow(/longer than the allowed 300 bytes/);
    await expect(watched(everyByte(whole), 300)).rejects.toThrow(/longer than the allowed 300 bytes/);
    const without = Buffer.from([0, 0, 0, 2, 10, 0]);
    await expect(watched([without])).rejects.toThrow(/without an object/);
    const plain = Buffer.concat([field(1, 'ADDED'), field(2, [field(1, '{"kind":"Secret"}')])]);
    await expect(watched([Buffer.concat([Buffer.from([0, 0, 0, plain.length]), plain])])).rejects.toThrow(
      /does not begin as such/,
    );
  });

  it('never quotes what it could not read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), async (noise) => {
        const bytes = Buffer.concat([Buffer.from('hunter2'), noise]);
        const framed = Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
        const error = await watched([framed]).catch((caught: unknown) => caught);
        if (error instanceof Error) {
          expect(error).toBeInstanceOf(DecodeError);
          expect(error.message).not.toContain('hunter2');
        }
      }),
    );
  });
});

describe('a list in protobuf', () => {
  it('gives the same items for any chunking', async () => {
    await fc.assert(
      fc.asyncProperty(anySamples, cuts, async (samples, positions) => {
        const bytes = secretList(samples.map(secret), '42', 'more');
        expect(await listed(cut(bytes, positions))).toEqual({
          metadata: { resourceVersion: '42', continue: 'more' },
          items: samples.map(expected),
        });
      }),
      { numRuns: 150 },
    );
  });

  it('refuses a list that was cut anywhere, and an item that is too long', async () => {
    const bytes = secretList(
      [secret({ name: 'a', data: { key: Buffer.alloc(200) } }), secret({ name: 'b' })],
      '42',
    );
    // The last four bytes are empty fields behind the list.
    for (let end = 0; end < bytes.length - 4; end += 1)
      await expect(listed([bytes.subarray(0, end)]), `cut after ${end}`).rejects.toThrow(DecodeError);
    await expect(listed([bytes], 150)).rejects.toThrow(
      /Item 0 of the list is longer than the allowed 150 bytes/,
    );
    await expect(listed(['<html>a proxy</html>'])).rejects.toThrow(/no list in protobuf/);
    await expect(listed([enveloped('SecretList', numberField(3, 1))])).rejects.toThrow(/malformed/);
  });
});

describe('a client', () => {
  const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
  const clientOf = (answers: Parameters<typeof memoryTransport>[0]) => {
    const transport = memoryTransport(answers);
    return { transport, client: createClient({ transport }) };
  };

  it('asks for protobuf where a kind can be read from it, and for JSON otherwise', async () => {
    const { transport, client } = clientOf([{ body: { kind: 'SecretList', metadata: {}, items: [] } }]);
    await client.listEach(SecretsInBytes, () => undefined);
    expect(transport.last.headers.accept).toBe('application/vnd.kubernetes.protobuf,application/json');
    await client.listEach(SecretsInBytes, () => undefined, { metadataOnly: true });
    expect(transport.last.headers.accept).not.toContain('protobuf');
  });

  it('asks for JSON where whole objects are kept: bytes are valid until the next object only', async () => {
    const { transport, client } = clientOf([{ body: { kind: 'SecretList', metadata: {}, items: [] } }]);
    await client.list(SecretsInBytes);
    expect(transport.last.headers.accept).toBe('application/json');
  });

  it('reads lists in protobuf, and in JSON if the server has nothing else', async () => {
    const bytes = secretList([secret({ name: 'a', data: { key: Buffer.from('value') } })], '3');
    const { client } = clientOf([
      { headers, body: streamOf([bytes]) },
      {
        headers: { 'content-type': 'application/json' },
        body: {
          metadata: { resourceVersion: '4' },
          items: [{ metadata: { name: 'a' }, data: { key: 'dmFsdWU=' } }],
        },
      },
    ]);
    const items: unknown[] = [];
    const read = (): Promise<{ resourceVersion?: string }> =>
      client.listEach(SecretsInBytes, (item) => items.push(copied(item)));
    expect((await read()).resourceVersion).toBe('3');
    expect(items[0]).toMatchObject({
      kind: 'Secret',
      apiVersion: 'v1',
      data: { key: { hex: '76616c7565' } },
    });
    await read();
    expect(items[1]).toMatchObject({ data: { key: 'dmFsdWU=' } });
  });

  it('understands a refusal in protobuf', async () => {
    const body = (): AsyncIterable<Uint8Array> =>
      streamOf([enveloped('Status', status(403, 'Forbidden', 'user "a" cannot list resource "secrets"'))]);
    const { client } = clientOf(() => ({ status: 403, headers, body: body() }));
    await expect(client.listEach(SecretsInBytes, () => undefined)).rejects.toThrow(ForbiddenError);
    await expect(client.listEach(SecretsInBytes, () => undefined)).rejects.toThrow(
      /cannot list resource "secrets".*Role/,
    );
    const { client: other } = clientOf(() => ({ status: 403, headers, body: streamOf(['damaged']) }));
    await expect(other.listEach(SecretsInBytes, () => undefined)).rejects.toThrow(ForbiddenError);
  });
});

describe('a message', () => {
  it('ends where it is said to end, whatever it contains', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
        const message = new MessageReader(Buffer.from(noise), 0, noise.length);
        try {
          while (message.next()) expect(message.end).toBeLessThanOrEqual(noise.length);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
    );
  });
});
