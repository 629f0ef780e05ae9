import { describe, expect, it } from 'vitest';
import type { Difference } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import type { WantedSource } from '../model/want.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import {
  digestOf,
  gone,
  KEY_ID,
  ledgerWith,
  present,
  presentSecret,
  wantFor,
} from './decide.test.support.ts';
import { replacedBy } from './replaced.ts';

const RECORDED = ledgerWith({ writtenAt: 700, sources: { 'cm/a': 'old', 'secret/s': 'old' } });
const past = (content: string, from: number, until: number) => ({
  digest: digestOf(content),
  keyDigests: '',
  from,
  until,
});
const change = (key: string): Difference => ({
  key,
  finding: 'changed',
  reload: true,
  next: { digest: digestOf('new') },
});

function replaced(
  sources: readonly WantedSource[],
  changed: readonly Difference[] = sources.map(({ key }) => change(key)),
  recorded: Ledger | undefined = RECORDED,
  keyId = KEY_ID,
): ReturnType<typeof replacedBy> {
  const input = { workload: workloadFacts(), want: wantFor(sources), install: { at: 1, keyId } };
  return replacedBy({ input, recorded }, changed);
}

describe('The contents that a reload replaces', () => {
  it('are the recorded entries of the changed sources, until each was last seen', () => {
    const a = present('a', 'new', { facts: { past: [past('old', 600, 900), past('between', 900, 950)] } });
    const s = presentSecret('s', 'new', { facts: { past: [past('old', 600, 880)] } });
    expect(replaced([a, s])).toMatchObject({ until: 880 });
    expect([...(replaced([a, s])?.sources ?? [])]).toEqual([
      ['cm/a', { digest: digestOf('old') }],
      ['secret/s', { digest: digestOf('old') }],
    ]);
  });

  it('count until the time of the record if we did not see them go', () => {
    expect(replaced([present('a', 'new')])?.until).toBe(700);
    const unseen = present('a', 'new', { facts: { past: [past('between', 800, 900)] } });
    expect(replaced([unseen])?.until).toBe(700);
  });

  it('are known of a ConfigMap that was recorded under another key', () => {
    expect(replaced([present('a', 'new')], [change('cm/a')], RECORDED, 'other')).toBeDefined();
  });

  it('count until the time of the record if the source is gone', () => {
    expect(replaced([gone('a')])?.until).toBe(700);
  });

  it('are known of eight sources', () => {
    const names = Array.from({ length: 8 }, (_, index) => `a${index}`);
    const recorded = ledgerWith({ sources: Object.fromEntries(names.map((name) => [`cm/${name}`, 'old'])) });
    const sources = names.map((name) => present(name, 'new'));
    expect(replaced(sources, undefined, recorded)?.sources.size).toBe(8);
  });

  it('include our fields on the template', () => {
    expect(replaced([present('a', 'new')])?.fields).toMatch(/^[\w-]{12}$/);
  });

  it.each<[string, Parameters<typeof replaced>]>([
    ['nothing is recorded', [[present('a', 'new')], [change('cm/a')], ledgerWith()]],
    [
      'it did not exist before',
      [[present('a', 'new')], [{ ...change('cm/a'), finding: 'created' }], RECORDED],
    ],
    [
      'it had never been rolled out',
      [
        [present('a', 'new')],
        [change('cm/a')],
        { ...RECORDED, sources: new Map([['cm/a', { digest: '-' }]]) },
      ],
    ],
    [
      'it was recorded with another key',
      [[presentSecret('s', 'new')], [change('secret/s')], RECORDED, 'other'],
    ],
    [
      'it is recorded in another way',
      [[present('a', 'new')], [change('cm/a')], { ...RECORDED, digestVersion: 9 }],
    ],
    ['it was deleted', [[], [change('cm/a')]]],
    ['nothing changed', [[present('a', 'new')], []]],
    ['too many changed', [[present('a', 'new')], Array.from({ length: 9 }, () => change('cm/a'))]],
  ])('are not known if %s', (_, given) => {
    expect(replaced(...given)).toBeUndefined();
  });
});
