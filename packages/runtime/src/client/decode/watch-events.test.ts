import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import type { KubernetesObject } from '../../model/types.ts';
import type { WatchEvent } from '../client.ts';
import { ConnectionError, DecodeError, GoneError, InternalServerError } from '../errors.ts';
import { anyText, cut, cuts, everyByte, streamOf } from './chunks.test.support.ts';
import { watchEvents } from './watch-events.ts';

const unknown: string[] = [];
const decoding = {
  maxBytes: 2_000_000,
  clock: new VirtualClock(),
  request: 'watch secrets',
  onUnknownType: (type: string) => void unknown.push(type),
};

async function collect(
  chunks: Iterable<Uint8Array | string>,
  maxBytes = decoding.maxBytes,
): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of watchEvents(streamOf(chunks), { ...decoding, maxBytes })) events.push(event);
  return events;
}

const added = (name: string, extra: object = {}): object => ({
  type: 'ADDED',
  object: { metadata: { name, uid: 'u', resourceVersion: '1', ...extra } },
});
const line = (event: object): string => `${JSON.stringify(event)}\n`;

describe('a watch stream', () => {
  it('passes every event to the function given with `next`, and returns the first that it does not take', async () => {
    const bytes = Buffer.from([added('a'), added('b'), added('c'), added('d')].map(line).join(''));
    for (const chunks of [[bytes], everyByte(bytes)]) {
      const events = watchEvents<KubernetesObject>(streamOf(chunks), decoding);
      const seen: string[] = [];
      const takes = (event: WatchEvent<KubernetesObject>): boolean => {
        const name = event.type === 'BOOKMARK' ? '' : event.object.metadata.name;
        seen.push(name);
        return name !== 'c';
      };
      expect(await events.next(takes)).toMatchObject({ value: { object: { metadata: { name: 'c' } } } });
      expect(seen).toEqual(['a', 'b', 'c']);
      expect(await events.next(takes)).toEqual({ done: true, value: undefined });
      expect(seen).toEqual(['a', 'b', 'c', 'd']);
    }
  });

  it('gives the same events for any chunking, also inside a character', async () => {
    const anyEvents = fc.array(
      anyText.map((text) => added('a', { annotations: { text } })),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(anyEvents, cuts, async (events, positions) => {
        const bytes = Buffer.from(events.map(line).join(''));
        expect(await collect(cut(bytes, positions))).toEqual(JSON.parse(JSON.stringify(events)));
      }),
      { numRuns: 150 },
    );
  });

  it('gives the same events with a chunk boundary at every byte', async () => {
    const events = [added('ключ-😀'), added('b', { labels: { a: '{"}\\\n' } })];
    expect(await collect(everyByte(Buffer.from(events.map(line).join(''))))).toEqual(events);
  });

  it('reads an object of 1.5 MB in pieces', async () => {
    const event = added('big', { annotations: { a: 'x'.repeat(1_500_000) } });
    const bytes = Buffer.from(line(event));
    const chunks = cut(
      bytes,
      Array.from({ length: 90 }, (_, index) => index * 16_384),
    );
    expect(await collect(chunks)).toEqual([event]);
  });

  it('refuses a line above the limit before it is complete', async () => {
    const endless = Array.from({ length: 20 }, () => 'x'.repeat(100));
    await expect(collect(endless, 1000)).rejects.toThrow(DecodeError);
    await expect(collect(endless, 1000)).rejects.toThrow(
      /longer than the allowed 1000 bytes: raise maxObjectBytes/,
    );
  });

  it('allows a line of exactly the limit', async () => {
    const text = JSON.stringify(added('a'));
    expect(await collect([`${text}\n`], text.length)).toHaveLength(1);
    await expect(collect([`${text}\n`], text.length - 1)).rejects.toThrow(DecodeError);
  });

  it('passes over blank lines', async () => {
    expect(await collect(['\n\r\n', line(added('a')), '  \n'])).toHaveLength(1);
  });

  it('accepts a whole last line without its line end', async () => {
    expect(await collect([JSON.stringify(added('a'))])).toHaveLength(1);
  });

  it('says that the stream ended in the middle of a line, without quoting it', async () => {
    const failure = collect([line(added('a')), '{"type":"ADDED","object":{"data":{"password":"hunter2']);
    await expect(failure).rejects.toThrow(DecodeError);
    await expect(failure).rejects.toThrow(
      /watch secrets: the server ended in the middle of a line \(53 characters\)/,
    );
  });

  it.each([
    ['is not JSON', 'garbage\n'],
    ['is no object', '[1]\n'],
    ['has no type', '{"object":{}}\n'],
    ['has no object', '{"type":"ADDED"}\n'],
    ['is a bookmark without a version', '{"type":"BOOKMARK","object":{"metadata":{}}}\n'],
  ])('throws a DecodeError for a line that %s', async (_, text) => {
    await expect(collect([text])).rejects.toThrow(DecodeError);
  });

  it('passes the error of a lost connection on', async () => {
    async function* lost(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"type":"ADD');
      throw new ConnectionError('lost');
    }
    const read = async (): Promise<void> => {
      for await (const _ of watchEvents(lost(), decoding));
    };
    await expect(read()).rejects.toThrow(ConnectionError);
  });

  it('throws the typed error of an ERROR event', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
    const failure = collect([line({ type: 'ERROR', object: status })]);
    await expect(failure).rejects.toThrow(GoneError);
    await expect(failure).rejects.toThrow('watch secrets: too old resource version (410 Expired)');
  });

  it('throws an InternalServerError for an ERROR event that is no Status', async () => {
    await expect(collect([line({ type: 'ERROR', object: {} })])).rejects.toThrow(InternalServerError);
  });

  it('tells a bookmark that ends the initial events from any other', async () => {
    const bookmark = (annotations: object): string =>
      line({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9', annotations } } });
    expect(await collect([bookmark({}), bookmark({ 'k8s.io/initial-events-end': 'true' })])).toEqual([
      { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: false },
      { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: true },
    ] satisfies WatchEvent<object>[]);
  });

  it('passes over an event type of the future and reports it', async () => {
    unknown.length = 0;
    expect(await collect([line({ type: 'RENAMED', object: {} }), line(added('a'))])).toHaveLength(1);
    expect(unknown).toEqual(['RENAMED']);
  });

  it('cancels the body when the consumer leaves, and when it cannot be read', async () => {
    let cancelled = 0;
    async function* endless(text: string): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from(text);
      } finally {
        cancelled++;
      }
    }
    for await (const _ of watchEvents(endless(line(added('a'))), decoding)) break;
    expect(cancelled).toBe(1);
    const unreadable = watchEvents(endless('garbage\n'), decoding);
    await expect(unreadable.next()).rejects.toThrow(DecodeError);
    expect(cancelled).toBe(2);
    expect(await unreadable.next()).toEqual({ done: true, value: undefined });
  });
});
