import { describe, expect, it } from 'vitest';
import type { Difference } from '../model/decision.ts';
import { DEFAULT_VERIFY } from '../model/verify.ts';
import { configFacts } from '../want/world.test.support.ts';
import { fingerprintOf } from './case.ts';
import {
  carrying,
  digestOf,
  gone,
  inputWith,
  ledgerWith,
  present,
  unknown,
  verdictOn,
  wantFor,
} from './decide.test.support.ts';

const LEDGER = ledgerWith({ writtenAt: 2000, sources: { 'cm/a': 'x', 'cm/b': 'x' } });
const workload = carrying(LEDGER);
const changed = (options: Parameters<typeof present>[2] = {}) => [
  present('a', 'y', { facts: { writtenAt: 4000 }, ...options }),
  present('b', 'x'),
];

describe('the contents that a reload replaces are kept', () => {
  const verify = { ...DEFAULT_VERIFY, isPeer: () => false };

  it.each([
    ['with verification', { verify }, true],
    ['without verification', {}, false],
    ['if pods are evicted, which cannot be undone', { verify, rolloutStrategy: 'restart' }, false],
    [
      'if pods are evicted and the source is to be restored',
      { verify, rolloutStrategy: 'restart', onFailure: 'restore' },
      true,
    ],
    ['if the source is to be restored without verification', { onFailure: 'restore' }, false],
  ] as const)('%s: %j', (_, policy, expected) => {
    const { reload } = verdictOn(inputWith({ workload, want: wantFor(changed(), policy) }));
    expect(reload?.ledger.replaced !== undefined).toBe(expected);
  });
});

describe('a reload', () => {
  it('names the ids of its configs only if it knows each of them', () => {
    const recent = (configs: string[]) => {
      const want = { ...wantFor(changed({ configs })), configs: [configFacts()] };
      return verdictOn(inputWith({ workload, want })).reload?.ledger.recent.at(-1);
    };
    expect(recent(['shop/rules'])).toMatchObject({ configIds: [expect.any(String)] });
    expect(recent(['shop/rules', 'shop/unknown'])).not.toHaveProperty('configIds');
    expect(recent([])).not.toHaveProperty('configIds');
  });

  it('for a deleted source has neither hash nor time', () => {
    const want = wantFor([gone('a', { reloadOnDelete: true }), present('b', 'x')]);
    expect(verdictOn(inputWith({ workload, want })).reload?.causes).toEqual([
      {
        ref: { kind: 'ConfigMap', namespace: 'shop', name: 'a' },
        finding: 'deleted',
        slot: undefined,
        writtenAt: undefined,
        container: 'app',
      },
    ]);
  });
});

describe('the record', () => {
  it('covers the newest write to sources that exist', () => {
    const sources = [
      present('a', 'y', { facts: { writtenAt: 4000 } }),
      present('b', 'x', { facts: { writtenAt: 3000 } }),
      unknown('c'),
    ];
    const { reload } = verdictOn(inputWith({ workload, want: wantFor(sources) }));
    expect(reload?.ledger.sourcesWrittenAt).toBe(4000);
  });

  it('covers no write if no source exists', () => {
    const want = wantFor([gone('a', { reloadOnDelete: true }), gone('b')]);
    const { reload } = verdictOn(inputWith({ workload, want }));
    expect(reload?.ledger).not.toHaveProperty('sourcesWrittenAt');
  });

  it('names no sources that are too many where all fit', () => {
    expect(verdictOn(inputWith({ workload, want: wantFor(changed()) }))).not.toHaveProperty('tooManySources');
  });
});

describe('the fingerprint of changes', () => {
  const change = (key: string, content?: string): Difference => ({
    key,
    finding: 'changed',
    reload: true,
    next: content === undefined ? undefined : { digest: digestOf(content) },
  });

  it('has 16 characters, whatever the order', () => {
    const both = [change('cm/a', 'x'), change('cm/b', 'y')];
    expect(fingerprintOf(both)).toMatch(/^[\w-]{16}$/);
    expect(fingerprintOf(both.toReversed())).toBe(fingerprintOf(both));
  });

  it('tells sources without content apart', () => {
    expect(fingerprintOf([change('cm/a')])).toBe(fingerprintOf([{ ...change('cm/a'), finding: 'deleted' }]));
    expect(fingerprintOf([change('cm/a')])).not.toBe(fingerprintOf([change('cm/a', 'x')]));
    expect(fingerprintOf([change('cm/a'), change('cm/b')])).not.toBe(fingerprintOf([change('cm/a=cm/b')]));
  });
});
