import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../clock/clock.ts';
import { VirtualClock } from '../../clock/virtual-clock.ts';
import { DecodeError } from '../errors.ts';
import { anyText, cut, cuts, everyByte, streamOf } from './chunks.test.support.ts';
import { readList } from './list-items.ts';
import { ListSplitter } from './list-splitter.ts';

const MAX_BYTES = 1_000_000;

function decode(chunks: Iterable<Uint8Array>, maxBytes = MAX_BYTES): { items: unknown[]; rest: object } {
  const items: unknown[] = [];
  const splitter = new ListSplitter(maxBytes);
  for (const chunk of chunks) splitter.push(chunk, (text) => items.push(JSON.parse(text)));
  return { items, rest: splitter.end() };
}

const anyKey = fc.oneof(anyText, fc.constantFrom('__proto__', 'items', 'metadata', '"', '\\', 'é', '😀'));
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    anyText,
    fc.constantFrom(
      '}',
      ']',
      '{"items":[',
      '\\"',
      '\\\\',
      '\n',
      '😀',
      'x'.repeat(100),
      `${'\\'.repeat(41)}"`,
    ),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(anyKey, tie('value')), { maxLength: 4 }).map(objectFrom),
  ),
})).value;

/** Through text, so that `__proto__` is an ordinary key. */
function objectFrom(entries: readonly (readonly [string, unknown])[]): unknown {
  const unique = new Map(entries);
  return JSON.parse(
    `{${[...unique].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)}}`,
  );
}

const anyList = fc
  .record({
    items: fc.array(anyValue, { maxLength: 8 }),
    before: fc.array(fc.tuple(anyKey, anyValue), { maxLength: 3 }),
    after: fc.array(fc.tuple(anyKey, anyValue), { maxLength: 3 }),
    indent: fc.constantFrom(0, 1, '\t'),
  })
  .map(({ items, before, after, indent }) => {
    const entries = [...before, ['items', items] as const, ...after.filter(([key]) => key !== 'items')];
    const list = objectFrom([...new Map(entries)]) as Record<string, unknown>;
    return JSON.stringify({ ...list, items }, null, indent);
  });

describe('a list that is taken apart while it arrives', () => {
  it('equals JSON.parse of the whole for any list and any chunking', () => {
    fc.assert(
      fc.property(anyList, cuts, (text, positions) => {
        const whole = JSON.parse(text);
        const { items, rest } = decode(cut(Buffer.from(text), positions));
        expect(items).toEqual(whole.items);
        expect(rest).toEqual({ ...whole, items: [] });
      }),
      { numRuns: 500 },
    );
  });

  it('equals JSON.parse of the whole with a chunk boundary at every byte', () => {
    const list = {
      kind: 'SecretList',
      metadata: { resourceVersion: '7', note: '"items":[1]' },
      items: [
        { data: { a: 'x'.repeat(70), b: `${'\\'.repeat(40)}"}]`, ключ: '😀é' } },
        [[1], { items: [2] }],
        'text, with "quotes"',
        null,
        -1.5e-7,
      ],
      tail: { items: [3] },
    };
    const { items, rest } = decode(everyByte(Buffer.from(JSON.stringify(list))));
    expect(items).toEqual(list.items);
    expect(rest).toEqual({ ...list, items: [] });
  });

  it('refuses what JSON.parse refuses, and else agrees with it, when bytes are damaged', () => {
    const damage = fc.array(fc.tuple(fc.nat(10_000), fc.constantFrom(...'{}[],:"\\ 0a')), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(anyList, damage, cuts, (text, changes, positions) => {
        const bytes = Buffer.from(text);
        for (const [at, character] of changes) bytes[at % bytes.length] = character.charCodeAt(0);
        const expected = attempt(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
        const actual = attempt(() => decode(cut(bytes, positions)));
        if (actual) {
          expect(actual.items).toEqual(expected?.items ?? []);
          expect(expected).toBeDefined();
        } else if (expected) {
          // Valid JSON may only be refused if it is no list: here `items` was damaged or doubled.
          const isList = Array.isArray(expected?.items) && bytes.toString().split(/"items"\s*:/).length === 2;
          expect(isList).toBe(false);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses every proper beginning of a list', () => {
    const bytes = Buffer.from('{"metadata":{"continue":"a"},"items":[{"a":"}"},"b"],"kind":"X"}');
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decode([bytes.subarray(0, length)]), `first ${length} bytes`).toThrow(DecodeError);
    }
  });

  it.each([
    ['an empty list', '{"items":[]}', 0],
    ['an empty list with blanks', '{"items": [ \n ] }', 0],
    ['a list without items', '{"kind":"PodList","items":null}', 0],
    ['a key written with escapes', '{"\\u0069tems":[1,2]}', 2],
    ['a key with blanks around it', '{ "items" : [1] }', 1],
  ])('reads %s', (_, text, count) => {
    expect(decode([Buffer.from(text)]).items).toHaveLength(count);
  });

  it.each([
    ['an object without items', '{"kind":"Pod"}'],
    ['items that are an object', '{"items":{}}'],
    ['an array', '[{"items":[]}]'],
    ['a missing comma', '{"items":[{} {}]}'],
    ['a trailing comma', '{"items":[{},]}'],
    ['a doubled comma', '{"items":[{},,{}]}'],
    ['text after the list', '{"items":[]}x'],
    ['items twice', '{"items":[1],"items":[2]}'],
    ['items that are taken back', '{"items":[1],"items":null}'],
    ['brackets that do not match', '{"items":[{]}]}'],
    ['no text at all', ''],
  ])('refuses %s', (_, text) => {
    const read = (): Promise<unknown> =>
      readList(streamOf([text]), () => {}, { maxBytes: MAX_BYTES, clock: new VirtualClock() });
    return expect(read()).rejects.toThrow(DecodeError);
  });

  it('refuses an item above the limit, in one chunk or in many', () => {
    const bytes = Buffer.from(JSON.stringify({ items: ['small', 'x'.repeat(1000)] }));
    expect(decode([bytes], 1002).items).toHaveLength(2);
    expect(() => decode([bytes], 1001)).toThrow(/Item 1 of the list is larger than the allowed 1001 bytes/);
    expect(() => decode(everyByte(bytes), 1001)).toThrow(/Item 1 of the list is larger/);
  });

  it('refuses an item above the limit before it is complete', () => {
    const splitter = new ListSplitter(1000);
    splitter.push(Buffer.from('{"items":["'), () => {});
    const push = (): void => splitter.push(Buffer.alloc(600, 'x'), () => {});
    push();
    expect(push).toThrow(/Item 0 of the list is larger than the allowed 1000 bytes/);
  });

  it('refuses a frame above the limit', () => {
    const bytes = Buffer.from(JSON.stringify({ metadata: 'x'.repeat(1000), items: [] }));
    expect(() => decode([bytes], 500)).toThrow(/The list without its items is larger/);
  });

  it('refuses damaged UTF-8 instead of replacing it', () => {
    const bytes = Buffer.from('{"items":["a","b"]}');
    bytes[15] = 0xff;
    expect(() => decode([bytes])).toThrow(/Item 1 of the list is not valid UTF-8/);
  });

  it('pollutes no prototype', () => {
    const { items } = decode([
      Buffer.from('{"items":[{"__proto__":{"polluted":1}}],"__proto__":{"polluted":1}}'),
    ]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect(Object.hasOwn(items[0] as object, '__proto__')).toBe(true);
  });
});

describe('reading a list', () => {
  const decoding = { maxBytes: MAX_BYTES, clock: new VirtualClock() };

  it('returns the metadata wherever it stands', async () => {
    const metadata = { resourceVersion: '12', continue: 'token', remainingItemCount: 3, selfLink: '' };
    for (const list of [
      { kind: 'XList', apiVersion: 'v1', metadata, items: [] },
      { items: [], metadata, kind: 'XList', apiVersion: 'v1' },
    ]) {
      const read = await readList(streamOf([JSON.stringify(list)]), () => {}, decoding);
      expect(read).toEqual({
        kind: 'XList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '12', continue: 'token', remainingItemCount: 3 },
      });
    }
  });

  it('takes an empty continue token for none', async () => {
    const { metadata } = await readList(
      streamOf(['{"metadata":{"continue":""},"items":[]}']),
      () => {},
      decoding,
    );
    expect(metadata).toEqual({});
  });

  it('does not quote the item that is not JSON: it may be a Secret', async () => {
    const failure = readList(streamOf(['{"items":[{"password": hunter2}]}']), () => {}, decoding);
    await expect(failure).rejects.toThrow(/^Item 0 of the list is not JSON/);
    await expect(failure).rejects.not.toThrow(/hunter2/);
  });

  it('gives way to timers between chunks when a turn takes long', async () => {
    let now = 0;
    const clock: Clock = {
      now: () => 0,
      monotonic: () => (now += 5),
      setTimeout: () => ({ cancel: () => {} }),
    };
    const order: string[] = [];
    setImmediate(() => order.push('immediate'));
    const chunks = ['{"items":[', '1,', '2,', '3,', '4]}'];
    await readList(streamOf(chunks), (item) => order.push(`item ${item}`), { maxBytes: 100, clock });
    expect(order).toEqual(['item 1', 'immediate', 'item 2', 'item 3', 'item 4']);
  });
});

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
