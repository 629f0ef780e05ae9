import { parseSelector } from '@reloader/runtime';
import { describe, expect, it } from 'vitest';
import type { ConfigFacts } from '../model/config.ts';
import type { WantedSource } from '../model/want.ts';
import { configFacts, defaultSettings, NOT_SEEN } from '../want/world.test.support.ts';
import { carrying, gone, inputWith, present, wantFor } from './decide.test.support.ts';
import type { DecideInput } from './input.ts';
import { isAfterOptIn, mayBeAfterOptIn } from './opt-in-times.ts';

const OPTED_IN = 4000;
const { names } = defaultSettings();

/** Whether a write at this second and version may be after the opt-in at second 4000. */
function after(
  writtenAt: number,
  version: string,
  parts: Partial<DecideInput> = {},
  options: Partial<WantedSource> = {},
): boolean {
  const source = present('a', 'x', { ...options, facts: { writtenAt } });
  if (source.state.kind !== 'present') throw new Error('it is present');
  const { facts } = source.state;
  const metadata = { ...facts.metadata, resourceVersion: version };
  const input = inputWith({ workload: carrying(undefined, { createdAt: OPTED_IN }), ...parts });
  return mayBeAfterOptIn(source, { ...facts, metadata }, input, OPTED_IN);
}

describe('a write to a source', () => {
  it.each([
    [3999, false],
    [4000, true],
    [4001, true],
  ])('at second %i may be after the opt-in at second 4000: %s', (writtenAt, expected) => {
    expect(after(writtenAt, '7')).toBe(expected);
  });

  describe('in the second of the opt-in, with a workload that we saw being created', () => {
    const memory = (bornVersion: string) => ({ ...inputWith({}).memory, bornVersion });

    it.each([
      ['before it', '8', false],
      ['after it', '6', true],
      ['in an order that cannot be compared', 'x', true],
    ])('%s', (_, bornVersion, expected) => {
      expect(after(4000, '7', { memory: memory(bornVersion) })).toBe(expected);
    });

    it('counts as later if the workload opted in after its creation', () => {
      const workload = carrying(undefined, { createdAt: 3000 });
      expect(after(4000, '7', { workload, memory: memory('8') })).toBe(true);
    });
  });

  describe('of a workload that we saw being annotated', () => {
    const seen = (annotation: string) => ({ optInSeen: { ...NOT_SEEN, annotation } });

    it.each([
      ['before, whatever the times', 4001, '8', false],
      ['after, whatever the times', 3999, '6', true],
      ['at a version that cannot be compared, in a later second', 4001, 'x', true],
      ['at a version that cannot be compared, in the same second', 4000, 'x', true],
      ['at a version that cannot be compared, in an earlier second', 3999, 'x', false],
    ])('%s', (_, writtenAt, annotation, expected) => {
      expect(after(writtenAt, '7', seen(annotation))).toBe(expected);
    });

    it('does not matter to a source that only a config asks for', () => {
      expect(after(4001, '7', seen('8'), { annotated: false })).toBe(true);
    });
  });
});

describe('a source whose own labels or annotations changed', () => {
  type Before = { labels?: Record<string, string>; annotations?: Record<string, string> };
  const config = (parts: Partial<ConfigFacts> = {}): ConfigFacts => ({ ...configFacts(), ...parts });
  const byConfig = { annotated: false, configs: ['shop/rules'] };
  const bySearch = { annotated: true, rule: 'search' } as const;

  /** Whether the write counts, with these labels and annotations before. */
  function counts(
    before: Before,
    options: Partial<WantedSource> = {},
    configs: readonly ConfigFacts[] = [],
    content = 'x',
  ): boolean {
    const source = present('a', 'x');
    if (source.state.kind !== 'present') throw new Error('it is present');
    const { digest, metadata } = source.state.facts;
    const marked = {
      digest: content === 'x' ? digest : content,
      before: { labels: {}, annotations: {}, ...before },
    };
    const optInSeen = { ...NOT_SEEN, sources: new Map([[metadata.uid, marked]]) };
    return after(4001, '7', { optInSeen, want: { ...wantFor([]), configs } }, options);
  }

  it.each<[string, boolean, Parameters<typeof counts>]>([
    ['was named by an annotation before', true, [{}]],
    ['was ignored before', false, [{ annotations: { [names.ignore]: 'true' } }]],
    ['was not ignored before', true, [{ annotations: { [names.ignore]: 'false' } }]],
    [
      'was ignored before, and has other content',
      true,
      [{ annotations: { [names.ignore]: 'true' } }, {}, [], 'y'],
    ],
    ['did not match a search before', false, [{}, bySearch]],
    ['matched a search before', true, [{ annotations: { [names.match]: 'true' } }, bySearch]],
    ['did not want to match before', false, [{ annotations: { [names.match]: 'false' } }, bySearch]],
    ['matches no config', false, [{}, byConfig]],
    ['is named by a config', true, [{}, byConfig, [config()]]],
    ['is of another config', false, [{}, byConfig, [configFacts({ name: 'other' })]]],
    [
      'was selected before',
      true,
      [{ labels: { team: 'a' } }, byConfig, [config({ resourceSelector: parseSelector('team=a') })]],
    ],
    [
      'was not selected before',
      false,
      [{ labels: { team: 'b' } }, byConfig, [config({ resourceSelector: parseSelector('team=a') })]],
    ],
    [
      'had all the labels of a config before',
      true,
      [{ labels: { team: 'a', tier: 'b' } }, byConfig, [config({ matchLabels: { team: 'a', tier: 'b' } })]],
    ],
    [
      'had one of the labels of a config before',
      false,
      [{ labels: { team: 'a' } }, byConfig, [config({ matchLabels: { team: 'a', tier: 'b' } })]],
    ],
    [
      'was selected by one of two configs before',
      true,
      [
        { labels: { team: 'a' } },
        { annotated: false, configs: ['shop/rules', 'shop/more'] },
        [config({ matchLabels: { team: 'b' } }), configFacts({ name: 'more', matchLabels: { team: 'a' } })],
      ],
    ],
    [
      'matched a config by annotation of the workload',
      true,
      [{}, { ...bySearch, configs: ['shop/rules'] }, [config()]],
    ],
  ])('%s: its write counts: %s', (_, expected, given) => {
    expect(counts(...given)).toBe(expected);
  });
});

describe('a Namespace that was labelled after the write', () => {
  const optInSeen = { ...NOT_SEEN, labelled: new Map([['shop', { at: 4600, version: '8' }]]) };
  const selecting = { ...configFacts(), namespaceSelector: parseSelector('team=a') };
  const naming = configFacts({ name: 'naming' });
  const byBoth = { annotated: false, configs: ['shop/rules', 'shop/naming'] };

  it('explains the opt-in only if each config that asks selects Namespaces', () => {
    const want = (configs: readonly ConfigFacts[]) => ({ ...wantFor([]), configs });
    expect(after(4001, '7', { optInSeen, want: want([selecting]) }, byBoth)).toBe(false);
    expect(after(4001, '7', { optInSeen, want: want([selecting, naming]) }, byBoth)).toBe(true);
  });
});

it('only a source that exists has a write after the opt-in', () => {
  const input = inputWith({ workload: carrying(undefined, { createdAt: 500 }) });
  expect(isAfterOptIn(present('a', 'x', { facts: { writtenAt: 4001 } }), input)).toBe(true);
  expect(isAfterOptIn(present('a', 'x', { facts: { writtenAt: 400 } }), input)).toBe(false);
  expect(isAfterOptIn(gone('a'), input)).toBe(false);
});
