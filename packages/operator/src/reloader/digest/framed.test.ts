import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryOf } from '../ledger/entry.ts';
import { packKeyDigests } from '../model/source-facts.ts';
import { framedDigests, type SourceValue } from './framed.ts';

const identity = { kind: 'Secret', namespace: 'shop', name: 'password' };
const key = Buffer.alloc(32, 1);

const RECORDED = {
  digest: '25TTUY5-Yje4yAPrNUgxZA',
  slot: 'db94d3518e7e6237b8c803eb35483164cf72183f',
  keys: [
    ['a', 'cMps4BXAqL7TfEB0Sehqmw'],
    ['b', 'FRdGZlqOSm38kNmum6IFKQ'],
  ],
};

function values(data: Record<string, string>): SourceValue[] {
  return Object.entries(data).map(([name, value]) => [name, Buffer.from(value)]);
}

describe('Framed digests', () => {
  it('have 22 characters for the ledger and 40 hex digits for the slot', () => {
    const { digest, slot, keys } = framedDigests(identity, values({ a: '1' }), key);
    expect(digest).toMatch(/^[A-Za-z0-9_-]{22}$/);
    expect(slot).toMatch(/^[0-9a-f]{40}$/);
    expect(keys).toEqual([['a', expect.stringMatching(/^[A-Za-z0-9_-]{22}$/)]]);
  });

  it('do not depend on the order of keys', () => {
    const one = framedDigests(identity, values({ a: '1', b: '2' }), key);
    expect(framedDigests(identity, values({ b: '2', a: '1' }), key)).toEqual(one);
  });

  it.each([
    ['a separator in a value', { a: '1;b=2' }, { a: '1', b: '2' }],
    ['a value that moved into a key', { ab: 'c' }, { a: 'bc' }],
    ['an empty key', { '': 'a' }, { a: '' }],
    ['nothing', {}, { '': '' }],
  ])('tell contents apart: %s', (_, one, other) => {
    const digestOf = (data: Record<string, string>) => framedDigests(identity, values(data), key).digest;
    expect(digestOf(one)).not.toBe(digestOf(other));
  });

  it.each([
    ['kind', { ...identity, kind: 'ConfigMap' }],
    ['namespace', { ...identity, namespace: 'shop2' }],
    ['name', { ...identity, name: 'password2' }],
    ['border between namespace and name', { ...identity, namespace: 'shopp', name: 'assword' }],
  ])('are bound to the object: another %s gives others', (_, other) => {
    const one = framedDigests(identity, values({ a: '1' }), key);
    const two = framedDigests(other, values({ a: '1' }), key);
    expect(two.digest).not.toBe(one.digest);
    expect(two.keys[0]?.[1]).not.toBe(one.keys[0]?.[1]);
  });

  it('do not depend on the objects before it', () => {
    const digestsOf = ([namespace, kind]: readonly [string, string]) =>
      framedDigests({ kind, namespace, name: 'a' }, values({ a: '1' }), key);
    const places = [
      ['one', 'Secret'],
      ['two', 'Secret'],
      ['two', 'ConfigMap'],
      ['one', 'ConfigMap'],
    ] as const;
    const first = places.map((place) => digestsOf(place));
    expect([...places].reverse().map((place) => digestsOf(place))).toEqual([...first].reverse());
    expect(new Set(first.map(({ digest }) => digest)).size).toBe(4);
  });

  it('have the bytes that records of earlier versions hold', () => {
    const digests = framedDigests(identity, values({ a: '1', b: '2' }), key);
    expect(digests).toEqual(RECORDED);
  });

  it('differ by the key they are keyed with, and from plain ones', () => {
    const keys = [key, Buffer.alloc(32, 2), undefined];
    const all = keys.map((each) => framedDigests(identity, values({ a: '1' }), each).digest);
    expect(new Set(all).size).toBe(3);
  });

  it('of one key do not depend on the others', () => {
    const both = new Map(framedDigests(identity, values({ a: '1', b: '2' }), key).keys);
    const alone = new Map(framedDigests(identity, values({ a: '1' }), key).keys);
    expect(both.get('a')).toBe(alone.get('a'));
    expect(both.get('a')).not.toBe(both.get('b'));
  });

  it('of more than a thousand keys are one for all keys, which any change of them changes', () => {
    const many = (value: string): Record<string, string> => ({
      ...Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key-${index}`, 'x'])),
      last: value,
    });
    const { keys, digest } = framedDigests(identity, values(many('1')), key);
    expect(keys).toEqual([['*', digest]]);
    const entry = (value: string) => {
      const { digest: whole, keys: own } = framedDigests(identity, values(many(value)), key);
      return entryOf({ digest: whole, keyDigests: packKeyDigests(own) }, ['key-7']);
    };
    expect(entry('1')).toEqual(entry('1'));
    expect(entry('2')).not.toEqual(entry('1'));
    expect(entry('2').scope).toBe(entry('1').scope);
  });

  it('are equal exactly for equal contents', () => {
    const content = fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 }), {
      maxKeys: 3,
      noNullPrototype: true,
    });
    const text = (data: Record<string, string>) => JSON.stringify(Object.entries(data).sort());
    fc.assert(
      fc.property(content, content, (one, other) => {
        const same = text(one) === text(other);
        const digestOf = (data: Record<string, string>) =>
          framedDigests(identity, values(data), undefined).digest;
        return (digestOf(one) === digestOf(other)) === same;
      }),
    );
  });
});
