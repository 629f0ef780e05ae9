import { describe, expect, it } from 'vitest';
import { deferredEntry, entryOf } from '../ledger/entry.ts';
import type { Ledger, LedgerEntry } from '../model/ledger.ts';
import { type PastContent, packKeyDigests } from '../model/source-facts.ts';
import type { WantedSource } from '../model/want.ts';
import { compare } from './compare.ts';
import {
  digestOf,
  entriesOf,
  gone,
  KEY_ID,
  ledgerWith,
  present,
  presentSecret,
  unknown,
} from './decide.test.support.ts';

const SETTINGS = { ignoreRecreated: false, keyId: KEY_ID, isAfterOptIn: () => true };
const ABSENT: LedgerEntry = { digest: '-', gone: true };
const WAITING: LedgerEntry = { digest: '-' };
const tomb = (content: string): LedgerEntry => ({ digest: digestOf(content), gone: true });
const a = (entry: string | LedgerEntry): Ledger => ledgerWith({ sources: { 'cm/a': entry } });
const secret = (entry: string | LedgerEntry, ledger: Partial<Ledger> = {}): Ledger => ({
  ...ledgerWith({ sources: { 'secret/a': entry } }),
  ...ledger,
});
const onCreate = { reloadOnCreate: true };
const onDelete = { reloadOnDelete: true };
/** Contents that this process saw, one second each. */
const past = (...contents: string[]): PastContent[] =>
  contents.map((content, index) => ({
    digest: digestOf(content),
    keyDigests: '',
    from: 2000 + index,
    until: 2001 + index,
    ...(index === 0 && { first: true as const }),
  }));
const late = { facts: { createdAt: 2000 } };

interface Row {
  readonly what: string;
  readonly recorded: Ledger | undefined;
  readonly wanted: WantedSource;
  readonly finding: string;
  readonly reload?: true;
  readonly next: string | LedgerEntry | undefined;
  readonly ignoreRecreated?: true;
}

const ROWS: readonly Row[] = [
  // nothing | h
  { what: 'no ledger', recorded: undefined, wanted: present('a', 'x'), finding: 'adopted', next: 'x' },
  {
    what: 'no ledger, reload on create',
    recorded: undefined,
    wanted: present('a', 'x', { ...onCreate, ...late }),
    finding: 'adopted',
    next: 'x',
  },
  // h | h
  { what: 'equal', recorded: a('x'), wanted: present('a', 'x'), finding: 'unchanged', next: 'x' },
  // h | h'
  {
    what: 'other content',
    recorded: a('x'),
    wanted: present('a', 'y'),
    finding: 'changed',
    reload: true,
    next: 'y',
  },
  // h | gone
  { what: 'deleted', recorded: a('x'), wanted: gone('a'), finding: 'deleted', next: tomb('x') },
  {
    what: 'deleted, reload on delete',
    recorded: a('x'),
    wanted: gone('a', onDelete),
    finding: 'deleted',
    reload: true,
    next: tomb('x'),
  },
  {
    what: 'still gone',
    recorded: a(tomb('x')),
    wanted: gone('a', onDelete),
    finding: 'still-gone',
    next: tomb('x'),
  },
  {
    what: 'back as it was',
    recorded: a(tomb('x')),
    wanted: present('a', 'x'),
    finding: 'restored',
    next: 'x',
  },
  {
    what: 'back as it was, after the pods restarted without it',
    recorded: a(tomb('x')),
    wanted: present('a', 'x', { ...onDelete, ...onCreate }),
    finding: 'created',
    reload: true,
    next: 'x',
  },
  {
    what: 'back as it was, where a creation is no reason to reload',
    recorded: a(tomb('x')),
    wanted: present('a', 'x', onDelete),
    finding: 'restored',
    next: 'x',
  },
  {
    what: 'back as something else',
    recorded: a(tomb('x')),
    wanted: present('a', 'y'),
    finding: 'recreated',
    reload: true,
    next: 'y',
  },
  {
    what: 'back as something else, --recreate=ignore',
    recorded: a(tomb('x')),
    wanted: present('a', 'y'),
    ignoreRecreated: true,
    finding: 'recreated',
    next: 'y',
  },
  // no entry
  {
    what: 'no entry, created in the second of the ledger, reload on create',
    recorded: ledgerWith(),
    wanted: present('a', 'x', { ...onCreate, ...late }),
    finding: 'created',
    reload: true,
    next: 'x',
  },
  {
    what: 'no entry, created in the second of the ledger',
    recorded: ledgerWith(),
    wanted: present('a', 'x', late),
    finding: 'created',
    next: 'x',
  },
  {
    what: 'no entry, created before the ledger, reload on create',
    recorded: ledgerWith(),
    wanted: present('a', 'x', { ...onCreate, facts: { createdAt: 1999 } }),
    finding: 'adopted',
    next: 'x',
  },
  {
    what: 'no entry, created and changed since the ledger',
    recorded: ledgerWith(),
    wanted: present('a', 'y', { facts: { createdAt: 2000, past: past('x') } }),
    finding: 'changed',
    reload: true,
    next: 'y',
  },
  // wanted and absent
  {
    what: 'never there',
    recorded: ledgerWith(),
    wanted: gone('a', onDelete),
    finding: 'absent',
    next: ABSENT,
  },
  { what: 'never there, no ledger', recorded: undefined, wanted: gone('a'), finding: 'absent', next: ABSENT },
  {
    what: 'still absent',
    recorded: a(ABSENT),
    wanted: gone('a', onDelete),
    finding: 'still-gone',
    next: ABSENT,
  },
  {
    what: 'created though its time is long ago, reload on create',
    recorded: a(ABSENT),
    wanted: present('a', 'x', onCreate),
    finding: 'created',
    reload: true,
    next: 'x',
  },
  { what: 'created', recorded: a(ABSENT), wanted: present('a', 'x'), finding: 'created', next: 'x' },
  {
    what: 'created and changed before we looked',
    recorded: a(ABSENT),
    wanted: present('a', 'y', { facts: { past: past('x') } }),
    finding: 'changed',
    reload: true,
    next: 'y',
  },
  {
    what: 'created, changed and changed back before we looked',
    recorded: a(ABSENT),
    wanted: present('a', 'x', { facts: { past: past('x', 'y') } }),
    finding: 'created',
    next: 'x',
  },
  {
    what: 'created with keys that count',
    recorded: a(ABSENT),
    wanted: present('a', 'x', { ...onCreate, keys: ['k'] }),
    finding: 'created',
    reload: true,
    next: entryOf({ digest: '', keyDigests: '' }, ['k']),
  },
  // a creation that waits
  {
    what: 'a creation that waits',
    recorded: a(WAITING),
    wanted: present('a', 'x'),
    finding: 'created',
    reload: true,
    next: 'x',
  },
  {
    what: 'a creation that waited and is gone',
    recorded: a(WAITING),
    wanted: gone('a', onDelete),
    finding: 'absent',
    next: ABSENT,
  },
  // unknown
  { what: 'unknown', recorded: a('x'), wanted: unknown('a'), finding: 'unknown', next: 'x' },
  {
    what: 'unknown tombstone',
    recorded: a(tomb('x')),
    wanted: unknown('a'),
    finding: 'unknown',
    next: tomb('x'),
  },
  {
    what: 'unknown, no entry',
    recorded: ledgerWith(),
    wanted: unknown('a'),
    finding: 'unknown',
    next: undefined,
  },
  // scope
  {
    what: 'only keys count from now on, content changed as well',
    recorded: a('x'),
    wanted: present('a', 'y', { keys: ['k'] }),
    finding: 'rescoped',
    next: entryOf({ digest: '', keyDigests: '' }, ['k']),
  },
  {
    what: 'all keys count from now on',
    recorded: a({ digest: digestOf('x'), scope: 'scope' }),
    wanted: present('a', 'y'),
    finding: 'rescoped',
    next: 'y',
  },
  // key of the digests
  {
    what: 'a Secret under another key',
    recorded: secret('x', { keyId: 'old' }),
    wanted: presentSecret('a', 'y'),
    finding: 'rekeyed',
    next: 'y',
  },
  {
    what: 'a ConfigMap under another key',
    recorded: { ...a('x'), keyId: 'old' },
    wanted: present('a', 'y'),
    finding: 'changed',
    reload: true,
    next: 'y',
  },
  {
    what: 'a ConfigMap under another algorithm',
    recorded: { ...a('x'), digestVersion: 7 },
    wanted: present('a', 'y'),
    finding: 'rekeyed',
    next: 'y',
  },
  {
    what: 'a tombstone under another key',
    recorded: secret(tomb('x'), { keyId: 'old' }),
    wanted: gone('a', { key: 'secret/a', ...onDelete }),
    finding: 'rekeyed',
    next: ABSENT,
  },
  {
    what: 'unknown under another key',
    recorded: secret('x', { keyId: 'old' }),
    wanted: unknown('a', { key: 'secret/a' }),
    finding: 'unknown',
    next: undefined,
  },
  {
    what: 'a creation that waits under another key, now unknown',
    recorded: secret(WAITING, { keyId: 'old' }),
    wanted: unknown('a', { key: 'secret/a' }),
    finding: 'unknown',
    next: WAITING,
  },
];

describe('recorded against wanted', () => {
  it.each(ROWS)('$what: $finding', ({ recorded, wanted, finding, reload, next, ignoreRecreated }) => {
    const [difference] = compare(recorded, [wanted], {
      ...SETTINGS,
      ignoreRecreated: ignoreRecreated ?? false,
    });
    expect(difference).toEqual({
      key: wanted.key,
      finding,
      reload: reload ?? false,
      next: next === undefined ? undefined : entriesOf({ a: next }).get('a'),
    });
  });

  it('drops the entry of a source that is not wanted any more', () => {
    expect(compare(a('x'), [], SETTINGS)).toEqual([
      { key: 'cm/a', finding: 'opted-out', reload: false, next: undefined },
    ]);
  });

  it('keeps the old state of a change that waits, and a place for a creation', () => {
    expect(deferredEntry({ digest: 'old' })).toEqual({ digest: 'old' });
    expect(deferredEntry(undefined)).toEqual(WAITING);
    expect(deferredEntry(ABSENT)).toEqual(WAITING);
    expect(deferredEntry(tomb('x'))).toEqual(tomb('x'));
  });
});

describe('the part of a source that counts', () => {
  const facts = (values: Record<string, string>) => ({
    digest: 'whole',
    keyDigests: packKeyDigests(Object.entries(values)),
  });

  it('is the whole object where no keys are named', () => {
    expect(entryOf(facts({ a: '1' }), undefined)).toEqual({ digest: 'whole' });
  });

  it('does not change with other keys, nor with the order of the names', () => {
    expect(entryOf(facts({ a: '1', b: '2', z: '9' }), ['b', 'a'])).toEqual(
      entryOf(facts({ z: '8', b: '2', a: '1' }), ['a', 'b', 'a']),
    );
  });

  it('changes with a key that counts, also when it appears', () => {
    const one = entryOf(facts({ a: '1' }), ['a']);
    expect(entryOf(facts({ a: '2' }), ['a']).digest).not.toBe(one.digest);
    expect(entryOf(facts({}), ['a']).digest).not.toBe(one.digest);
    expect(entryOf(facts({ a: '2' }), ['a']).scope).toBe(one.scope);
    expect(entryOf(facts({ a: '1' }), ['a', 'b']).scope).not.toBe(one.scope);
  });

  it('reads keys that are names of object members', () => {
    const one = entryOf(facts({ constructor: '1' }), ['constructor', '__proto__']);
    expect(entryOf(facts({ constructor: '2' }), ['constructor', '__proto__'])).not.toEqual(one);
  });

  it('created and changed before the opt-in: adopted', () => {
    const wanted = present('b', 'y', { ...onCreate, facts: { createdAt: 2000, past: past('x') } });
    const settings = { ...SETTINGS, isAfterOptIn: () => false };
    const [, difference] = compare(a('x'), [present('a', 'x'), wanted], settings);
    expect(difference).toMatchObject({ finding: 'adopted', reload: false });
  });
});

describe('After a rotation of the key', () => {
  const settings = { ...SETTINGS, previousKeyId: 'before' };
  const recorded = (entry: LedgerEntry): Ledger => secret(entry, { keyId: 'before' });
  const now = (content: string, previous: string, more = {}): WantedSource =>
    presentSecret('a', content, {
      facts: { previous: { digest: digestOf(previous), keyDigests: '' } },
      ...more,
    });
  const judged = (entry: LedgerEntry, wanted: WantedSource, given = settings) =>
    compare(recorded(entry), [wanted], given)[0];

  it('what did not change is recorded with the new one, and restarts nothing', () => {
    expect(judged({ digest: digestOf('old key') }, now('new key', 'old key'))).toEqual({
      key: 'secret/a',
      finding: 'rekeyed',
      reload: false,
      next: { digest: digestOf('new key') },
    });
    expect(judged(tomb('old key'), now('new key', 'old key'))).toMatchObject({
      finding: 'rekeyed',
      reload: false,
    });
  });

  it('what changed meanwhile is reloaded', () => {
    expect(judged({ digest: digestOf('old key') }, now('new key', 'other'))).toMatchObject({
      finding: 'changed',
      reload: true,
      next: { digest: digestOf('new key') },
    });
    expect(judged(tomb('old key'), now('new key', 'other'))).toMatchObject({
      finding: 'recreated',
      reload: true,
    });
  });

  it('what was recorded with a third key cannot be compared', () => {
    const [difference] = compare(
      secret({ digest: digestOf('old key') }, { keyId: 'third' }),
      [now('new key', 'other')],
      settings,
    );
    expect(difference).toMatchObject({ finding: 'rekeyed', reload: false });
    expect(judged({ digest: digestOf('old key') }, now('n', 'other'), SETTINGS as never)).toMatchObject({
      finding: 'rekeyed',
    });
  });
});
