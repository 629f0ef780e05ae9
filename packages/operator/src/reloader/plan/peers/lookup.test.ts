import { expect, it } from 'vitest';
import { emptyMemory } from '../../ledger/remember.ts';
import { lookupOf } from './lookup.ts';

it('looks up users of a source, notes and states where each is kept', () => {
  const ref = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
  const source = { kind: 'Secret', namespace: 'shop', name: 'db' } as const;
  const state = { memory: emptyMemory('uid-web'), following: undefined };
  const lookup = lookupOf(
    { of: ({ name }) => (name === 'db' ? [ref] : []), isOrdered: (namespace) => namespace === 'shop' },
    ({ name }) => ({ kind: name === 'web' ? 'unreadable' : 'absent' }),
    { of: ({ name }) => (name === 'web' ? state : undefined) },
  );
  expect(lookup.of(source)).toEqual([ref]);
  expect([lookup.isOrdered('shop'), lookup.isOrdered('far')]).toEqual([true, false]);
  expect(lookup.note(ref)).toEqual({ kind: 'unreadable' });
  expect(lookup.known(ref)).toBe(state);
});
