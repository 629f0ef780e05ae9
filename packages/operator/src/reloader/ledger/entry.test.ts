import { describe, expect, it } from 'vitest';
import { ALL_KEYS, packKeyDigests } from '../model/source-facts.ts';
import { deferredEntry, entryOf } from './entry.ts';

const facts = (keys: Record<string, string>) => ({
  digest: 'whole',
  keyDigests: packKeyDigests(Object.entries(keys)),
});

describe('the entry of a source', () => {
  it('is the digest of the whole object where no keys are named', () => {
    expect(entryOf(facts({ a: 'x' }), undefined)).toEqual({ digest: 'whole' });
  });

  it('has a digest of 22 characters and a scope of 8 where keys are named', () => {
    const entry = entryOf(facts({ a: 'x' }), ['a']);
    expect(entry).toEqual({
      digest: expect.stringMatching(/^[\w-]{22}$/),
      scope: expect.stringMatching(/^[\w-]{8}$/),
    });
  });

  it.each<[string, boolean, Record<string, string>, string[]]>([
    ['another order and repetitions of the keys', true, { a: 'x', b: 'y' }, ['b', 'a', 'b']],
    ['a change of a key that is not named', true, { a: 'x', b: 'y', c: 'z' }, ['a', 'b']],
    ['a change of a key that is named', false, { a: 'x', b: 'other' }, ['a', 'b']],
    ['a key that is absent', false, { a: 'x' }, ['a', 'b']],
    ['content that moves from one key to the other', false, { a: 'xb', b: '' }, ['a', 'b']],
  ])('with %s is the same: %s', (_, expected, keys, named) => {
    const entry = entryOf(facts(keys), named);
    const original = entryOf(facts({ a: 'x', b: 'y' }), ['a', 'b']);
    expect(entry.scope).toBe(original.scope);
    expect(entry.digest === original.digest).toBe(expected);
  });

  it('separates the keys', () => {
    expect(entryOf(facts({}), ['ab', 'c']).scope).not.toBe(entryOf(facts({}), ['a', 'bc']).scope);
  });

  it('of a source with too many keys changes with any of them', () => {
    const one = entryOf(facts({ [ALL_KEYS]: 'x' }), ['a']);
    expect(entryOf(facts({ [ALL_KEYS]: 'y' }), ['a'])).not.toEqual(one);
    expect(entryOf(facts({ a: 'x' }), ['a'])).toEqual(one);
  });

  it('of an absent key is that of an empty digest', () => {
    expect(entryOf(facts({}), ['a'])).toEqual(entryOf(facts({ a: '' }), ['a']));
  });
});

it.each([
  ['without a record', undefined, { digest: '-' }],
  ['of a source that was absent', { digest: '-', gone: true as const }, { digest: '-' }],
  ['of a source whose reload waits already', { digest: '-' }, { digest: '-' }],
  ['of a deleted source', { digest: 'x', gone: true as const }, { digest: 'x', gone: true }],
  ['of a recorded content', { digest: 'x', scope: 's' }, { digest: 'x', scope: 's' }],
])('the entry while a reload waits, %s', (_, recorded, expected) => {
  expect(deferredEntry(recorded)).toEqual(expected);
});
