import { describe, expect, it } from 'vitest';
import { entriesOf, KEY_ID, ledgerWith, NOW } from '../decide/decide.test.support.ts';
import type { Difference } from '../model/decision.ts';
import type { Ledger } from '../model/ledger.ts';
import { formatLedger, LARGEST_LEDGER_BYTES } from './ledger.ts';
import {
  deferredLedger,
  type LedgerHead,
  recordedLedger,
  reloadedLedger,
  withinHead,
  withinLimit,
} from './next.ts';

const head = (parts: Partial<LedgerHead> = {}): LedgerHead => ({
  uid: 'uid-web',
  recorded: undefined,
  lowestSeq: 0,
  keyId: KEY_ID,
  template: 'template',
  unmarked: false,
  installation: 'reloader/reloader',
  now: NOW,
  ...parts,
});
const adopted = (key: string, digest = 'x'.repeat(22)): Difference => ({
  key,
  finding: 'adopted',
  reload: true,
  next: { digest },
});
const bytes = (ledger: Ledger): number => Buffer.byteLength(formatLedger(ledger));

describe('a ledger within its limits', () => {
  it('keeps the five newest reloads', () => {
    let recorded = ledgerWith();
    for (let round = 0; round < 7; round += 1) {
      recorded = reloadedLedger(head({ recorded }), [], { configs: [], sources: ['cm/a'] });
    }
    expect(recorded.recent.map(({ seq }) => seq)).toEqual([3, 4, 5, 6, 7]);
  });

  it('names eight of the sources that changed', () => {
    const sources = Array.from({ length: 20 }, (_, index) => `cm/${index}`);
    expect(reloadedLedger(head(), [], { configs: [], sources }).recent[0]?.sources).toHaveLength(8);
  });

  it('drops old reloads before the config names of the newest', () => {
    const configs = Array.from({ length: 10 }, (_, index) => `team-${index}/${'c'.repeat(60)}`);
    let recorded = ledgerWith();
    for (let round = 0; round < 5; round += 1) {
      recorded = reloadedLedger(head({ recorded }), [], { configs, sources: ['cm/a'] });
    }
    expect(recorded.recent.length).toBeLessThan(5);
    expect(recorded.recent.at(-1)?.configs).toEqual(configs);
    expect(bytes(recorded)).toBeLessThanOrEqual(2048);
  });

  it('drops names of configs if one reload alone has too many', () => {
    const configs = Array.from({ length: 100 }, (_, index) => `team-${index}/${'c'.repeat(60)}`);
    const ledger = reloadedLedger(head(), [], { configs, sources: ['cm/a'] });
    expect(ledger.recent[0]?.configs.length).toBeGreaterThan(10);
    expect(bytes(ledger)).toBeLessThanOrEqual(2048);
    const configIds = configs.map((_, index) => `id-${index}`);
    const [kept] = reloadedLedger(head(), [], { configs, configIds, sources: ['cm/a'] }).recent;
    expect(kept?.configIds).toEqual(configIds.slice(0, kept?.configs.length));
  });

  it('drops names of sources, except the last, before those of configs', () => {
    const sources = Array.from({ length: 8 }, (_, index) => `cm/${'s'.repeat(280)}${index}`);
    const ledger = reloadedLedger(head(), [], { configs: ['a/b'], sources });
    expect(ledger.recent[0]?.configs).toEqual(['a/b']);
    expect(ledger.recent[0]?.sources.length).toBeGreaterThan(3);
    expect(bytes(ledger)).toBeLessThanOrEqual(2048);
  });

  it('drops the data for an undo before names of the newest reload', () => {
    const configs = Array.from({ length: 12 }, (_, index) => `team-${index}/${'c'.repeat(60)}`);
    const made = (length: number): Ledger => {
      const replaced = { sources: entriesOf({ [`cm/${'s'.repeat(length)}`]: 'x' }), fields: 'f', until: 1 };
      return reloadedLedger(head(), [], { configs, sources: ['cm/a'] }, undefined, replaced);
    };
    expect(made(20).replaced).toBeDefined();
    expect(made(1200).replaced).toBeUndefined();
    expect(made(1200).recent[0]?.configs).toEqual(configs);
  });

  it('keeps the data for an undo while nothing is rolled out, and only under its own template', () => {
    const replaced = { sources: entriesOf({ 'cm/a': 'x' }), fields: 'f', until: 1 };
    const recorded = ledgerWith({ template: 'template', replaced });
    expect(recordedLedger(head({ recorded }), []).replaced).toEqual(replaced);
    expect(recordedLedger(head({ recorded, template: 'other' }), []).replaced).toBeUndefined();
    const change = { configs: [], sources: ['cm/a'] };
    expect(reloadedLedger(head({ recorded }), [], change).replaced).toBeUndefined();
  });

  it('does not loop where one name alone is too long', () => {
    const ledger = reloadedLedger(head(), [], { configs: ['a/b'], sources: [`cm/${'s'.repeat(3000)}`] });
    expect(ledger.recent).toMatchObject([{ configs: [], sources: [expect.any(String)] }]);
  });

  it('holds as many sources as fit, with all the reloads it may hold', () => {
    const differences = Array.from({ length: 500 }, (_, index) => adopted(`cm/name-${index}`));
    const { differences: kept, left } = withinLimit(undefined, differences);
    const configs = Array.from({ length: 20 }, (_, index) => `team-${index}/${'c'.repeat(60)}`);
    const ledger = reloadedLedger(head(), kept, { configs, sources: [] });
    expect(bytes(ledger)).toBeLessThanOrEqual(LARGEST_LEDGER_BYTES);
    expect(ledger.sources.size + left.length).toBe(500);
    expect(kept.filter(({ reload }) => reload)).toHaveLength(ledger.sources.size);
  });

  it('leaves nothing out where everything fits', () => {
    const differences = [adopted('cm/a'), { ...adopted('cm/b'), next: undefined }];
    expect(withinLimit(undefined, differences)).toEqual({ differences, left: [] });
  });

  it('keeps a source that exists before any number of names that do not', () => {
    const absent = Array.from({ length: 500 }, (_, index) => ({
      ...adopted(`cm/absent-${index}`),
      next: { digest: '-', gone: true as const },
    }));
    const { left } = withinLimit(undefined, [...absent, adopted('cm/real')]);
    expect(left.length).toBeGreaterThan(0);
    expect(left).not.toContain('cm/real');
    const recorded = {
      ...ledgerWith(),
      sources: entriesOf(Object.fromEntries(absent.map(({ key }) => [key, '-!']))),
    };
    expect(withinLimit(recorded, [...absent, adopted('cm/real')]).left).not.toContain('cm/real');
  });

  it('keeps the sources it knows, whatever their names', () => {
    const differences = Array.from({ length: 500 }, (_, index) => adopted(`cm/name-${index}`));
    const recorded = { ...ledgerWith(), sources: entriesOf({ 'cm/name-499': 'x' }) };
    expect(withinLimit(recorded, differences).left).not.toContain('cm/name-499');
  });
});

describe('a head that is too long', () => {
  const refused = Array.from({ length: 8 }, (_, index) => ({
    key: `cm/${index}${'k'.repeat(300)}`,
    content: 'x',
  }));
  const recent = [{ seq: 1, at: 1, configs: [], sources: ['cm/a'] }];

  it('loses the oldest of the refused contents at last, and only those that do not fit', () => {
    const kept = withinHead(ledgerWith({ refused, recent })).refused ?? [];
    expect(kept).toEqual(refused.slice(-kept.length));
    expect(kept).toHaveLength(6);
  });

  it('loses the last refused content, too, where it alone is too long', () => {
    const long = [{ key: `cm/${'k'.repeat(3000)}`, content: 'x' }];
    expect(withinHead(ledgerWith({ refused: long, recent }))).not.toHaveProperty('refused');
  });

  it('keeps what has exactly the largest size', () => {
    const withName = (length: number) => ledgerWith({ refused: [{ key: 'k'.repeat(length), content: 'x' }] });
    const room = 2048 - bytes(withName(0));
    expect(bytes(withinHead(withName(room)))).toBe(2048);
    expect(withinHead(withName(room + 1))).not.toHaveProperty('refused');
  });

  it('names no ids of configs where it names no config', () => {
    const reload = { seq: 1, at: 1, configs: ['a/b'], configIds: ['id'], sources: ['cm/'.padEnd(3000, 's')] };
    expect(withinHead(ledgerWith({ recent: [reload] })).recent[0]).not.toHaveProperty('configIds');
  });

  it.each([
    ['control characters', String.fromCharCode(1).repeat(60)],
    ['characters of several bytes', '\u4e2d'.repeat(120)],
    ['quotes', '"'.repeat(180)],
  ])('is measured in bytes: %s', (_, text) => {
    const reload = { seq: 1, at: 1, configs: [], sources: [text, text, text, text, text, text] };
    expect(bytes(withinHead(ledgerWith({ recent: [reload] })))).toBeLessThanOrEqual(2048);
  });
});

describe('what is left out of a full ledger', () => {
  const differences = Array.from({ length: 300 }, (_, index) => adopted(`cm/name-${299 - index}`));

  it('is named in order, has no entry and is not rolled out', () => {
    const { differences: kept, left } = withinLimit(undefined, differences);
    expect(left).toEqual([...left].sort());
    const [first] = kept.filter(({ key }) => left.includes(key));
    expect(first).toEqual({ ...adopted(first?.key ?? ''), reload: false, next: undefined });
  });

  it('is nothing where the sources fill it to the last byte', () => {
    // Key, digest and the frame of the entry.
    const full = [adopted('k'.repeat(3000), 'd'.repeat(66)), adopted('k'.repeat(3000), 'd'.repeat(66))];
    expect(withinLimit(undefined, full).left).toEqual([]);
    const known = { ...ledgerWith(), sources: entriesOf({ a: 'x', b: 'x' }) };
    const first = adopted('a', 'd'.repeat(3065));
    const second = adopted('b', 'd'.repeat(3065));
    expect(withinLimit(known, [first, second, adopted('c', 'd')]).left).toEqual(['c']);
  });

  it.each<[string, Difference['next']]>([
    ['whose reload waits', { digest: '-' }],
    ['that was deleted', { digest: 'x'.repeat(22), gone: true }],
  ])('is not a source %s before new ones', (_, next) => {
    const one = { ...adopted('cm/one'), next };
    const recorded = { ...ledgerWith(), sources: entriesOf({ 'cm/one': 'x' }) };
    expect(withinLimit(recorded, [...differences, one]).left).not.toContain('cm/one');
  });

  it('does not count sources without an entry', () => {
    const none = { ...adopted('cm/none'), next: undefined };
    expect(withinLimit(undefined, [...differences, none]).left).not.toContain('cm/none');
  });
});

describe('the next ledger', () => {
  const change = { configs: [], sources: ['cm/a'] };
  const rate = { perHour: 60, burst: 2 };

  it('counts a reload for the rate limit, from the recorded clock on', () => {
    expect(reloadedLedger(head(), [], change, rate).rateClock).toBe(NOW + 60_000);
    const recorded = ledgerWith({ rateClock: NOW + 60_000 });
    expect(reloadedLedger(head({ recorded }), [], change, rate).rateClock).toBe(NOW + 120_000);
  });

  it('keeps the clock of the rate limit without a reload, and drops it with one that has no limit', () => {
    const recorded = ledgerWith({ rateClock: NOW });
    expect(recordedLedger(head({ recorded }), []).rateClock).toBe(NOW);
    expect(reloadedLedger(head({ recorded }), [], change)).not.toHaveProperty('rateClock');
  });

  it('keeps refused contents under the same template', () => {
    const refused = [{ key: 'cm/a', content: 'x' }];
    const recorded = ledgerWith({ template: 'template', refused });
    expect(recordedLedger(head({ recorded }), []).refused).toEqual(refused);
    expect(recordedLedger(head({ recorded, template: 'other' }), [])).not.toHaveProperty('refused');
  });

  it('keeps which installation made the last reload, until one makes the next', () => {
    const recorded = ledgerWith({ installation: 'other/reloader' });
    expect(recordedLedger(head({ recorded }), []).installation).toBe('other/reloader');
    expect(reloadedLedger(head({ recorded }), [], change).installation).toBe('reloader/reloader');
    expect(recordedLedger(head(), [])).not.toHaveProperty('installation');
  });
});

it('a number that was seen is never used again', () => {
  const recorded = ledgerWith({ seq: 3 });
  expect(recordedLedger(head({ recorded, lowestSeq: 7 }), []).seq).toBe(7);
  expect(reloadedLedger(head({ recorded, lowestSeq: 7 }), [], { configs: [], sources: [] }).seq).toBe(8);
});

it('covers the writes to its sources, and while a reload waits only those before', () => {
  const recorded = ledgerWith({ sourcesWrittenAt: 1500 });
  const later = head({ recorded, sourcesWrittenAt: 1800 });
  expect(recordedLedger(later, []).sourcesWrittenAt).toBe(1800);
  expect(reloadedLedger(later, [], { configs: [], sources: [] }).sourcesWrittenAt).toBe(1800);
  expect(deferredLedger(later, [], 1900).sourcesWrittenAt).toBe(1500);
  expect('sourcesWrittenAt' in deferredLedger({ ...later, recorded: ledgerWith() }, [], 1900)).toBe(false);
});

it('no key, no name of a key', () => {
  expect('keyId' in recordedLedger(head({ keyId: undefined }), [])).toBe(false);
});
