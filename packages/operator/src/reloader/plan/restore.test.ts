/** Whether sources are restored after a reload that failed, and which contents are kept. */
import { describe, expect, it } from 'vitest';
import {
  digestOf,
  entriesOf,
  gone,
  ledgerWith,
  present,
  presentSecret,
  wantFor,
} from '../decide/decide.test.support.ts';
import { NO_BASE, type ParsedNote } from '../ledger/note.ts';
import type { Ledger, Restoring } from '../model/ledger.ts';
import { DEFAULT_VERIFY, type OutcomeResult } from '../model/verify.ts';
import type { Policy, WantedSource } from '../model/want.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import { contentsToKeep, type RestoreInput, restorePlan } from './restore.ts';

const NOW = 5_000_000;
const workload = workloadFacts();
const { uid } = workload.metadata;
const ASKS: Partial<Policy> = { verify: { ...DEFAULT_VERIFY, isPeer: () => true }, onFailure: 'restore' };

interface Parts {
  readonly sources?: readonly WantedSource[];
  readonly policy?: Partial<Policy>;
  readonly result?: OutcomeResult;
  readonly failed?: Readonly<Record<string, string>>;
  readonly ledger?: Partial<Ledger>;
  readonly restoring?: Restoring;
  readonly template?: string;
  readonly settings?: Partial<RestoreInput['settings']>;
  readonly worksOn?: string;
}

function inputOf(parts: Parts): RestoreInput {
  const recorded: Ledger = {
    ...ledgerWith({ seq: 4, sources: { 'cm/settings': 'bad' } }),
    uid,
    replaced: { sources: entriesOf({ 'cm/settings': 'good' }), fields: 'f', until: 900 },
    ...parts.ledger,
  };
  const { result = 'failed', template = workload.templateDigest } = parts;
  const sources = parts.failed ?? { 'cm/settings': digestOf('bad') };
  const note: ParsedNote = {
    kind: 'note',
    note: {
      record: recorded,
      base: NO_BASE,
      outcomes: [{ seq: 4, result, at: 1, template, sources }],
      ...(parts.restoring && { restoring: parts.restoring }),
    },
  };
  return {
    workload,
    want: wantFor(parts.sources ?? [present('settings', 'bad')], { ...ASKS, ...parts.policy }),
    recorded,
    note,
    settings: { mode: 'reload', restoreConfigMaps: true, ...parts.settings },
    worksOn: () => parts.worksOn,
    now: NOW,
  };
}

const plan = (parts: Parts = {}) => restorePlan(inputOf(parts));
const begun = (version: string, content = 'bad', seq = 4): Restoring => ({
  seq,
  sources: [{ key: 'cm/settings', content: digestOf(content), version }],
});

describe('after a reload that failed', () => {
  it('the source that still has the failed content is restored to the one before', () => {
    expect(plan()).toEqual({
      kind: 'restore',
      seq: 4,
      sources: [
        {
          ref: { kind: 'ConfigMap', namespace: 'shop', name: 'settings' },
          key: 'cm/settings',
          keys: undefined,
          bad: digestOf('bad'),
          good: { digest: digestOf('good') },
        },
      ],
    });
  });

  it.each<[string, Parts]>([
    ['it ran into its timeout', { result: 'timeout' }],
    ['a crash came between the note and the write', { restoring: begun('1') }],
    ['what was noted is of an earlier reload', { restoring: begun('0', 'bad', 3) }],
    [
      'another content of it was taken back before',
      { ledger: { refused: [{ key: 'cm/settings', content: 'x' }] } },
    ],
    [
      'this content of another source was taken back before',
      { ledger: { refused: [{ key: 'cm/other', content: digestOf('bad') }] } },
    ],
    ['another content of it was noted to be restored', { restoring: begun('0', 'other') }],
    [
      'the same content of another source was noted to be restored',
      { restoring: { seq: 4, sources: [{ key: 'cm/other', content: digestOf('bad'), version: '0' }] } },
    ],
    [
      'an earlier reload was an undo',
      { ledger: { recent: [{ seq: 3, at: 1, configs: [], sources: [], undoes: 2 }] } },
    ],
    [
      'the reload was no undo',
      { ledger: { recent: [{ seq: 4, at: 1, configs: [], sources: ['cm/settings'] }] } },
    ],
    ['a freeze has ended', { policy: { freezes: [{ place: 'workload', until: NOW, reason: undefined }] } }],
    [
      'another source that failed with it went back already',
      {
        sources: [present('settings', 'bad'), present('more', 'good')],
        failed: { 'cm/settings': digestOf('bad'), 'cm/more': digestOf('bad') },
        ledger: {
          replaced: {
            sources: entriesOf({ 'cm/settings': 'good', 'cm/more': 'good' }),
            fields: 'f',
            until: 900,
          },
        },
      },
    ],
  ])('also where %s', (_, parts) => {
    expect(plan(parts).kind).toBe('restore');
  });

  it.each<[string, Parts]>([
    ['it works', { result: 'ok' }],
    ['nobody knows yet', { result: 'open' }],
    ['nobody can tell', { result: 'superseded' }],
    ['nobody asks for it', { policy: { onFailure: 'hold' } }],
    ['it is not verified', { policy: { verify: undefined } }],
    ['somebody else changed the template', { template: 'other' }],
    ['the source has newer content', { sources: [present('settings', 'newer')] }],
    ['the source went back', { sources: [present('settings', 'good')] }],
    ['the source is gone', { sources: [gone('settings')] }],
    ['the source is not wanted any more', { sources: [] }],
    ['the reload was for no source', { failed: {} }],
    [
      'another source that failed with it is being edited',
      {
        sources: [present('settings', 'bad'), present('more', 'newer')],
        failed: { 'cm/settings': digestOf('bad'), 'cm/more': digestOf('bad') },
      },
    ],
    [
      'it was the undo that failed',
      { ledger: { recent: [{ seq: 4, at: 1, configs: [], sources: [], undoes: 3 }] } },
    ],
    ['the operator only observes', { settings: { mode: 'observe' } }],
  ])('nothing is said where %s', (_, parts) => {
    expect(plan(parts)).toEqual({ kind: 'nothing' });
  });

  it.each<[string, Parts, string]>([
    ['the flag is off', { settings: { restoreConfigMaps: false } }, 'start it with --restore-config-maps'],
    [
      'a Secret changed with it',
      {
        sources: [present('settings', 'bad'), presentSecret('db', 'two')],
        failed: { 'cm/settings': digestOf('bad'), 'secret/db': digestOf('two') },
      },
      'Secret shop/db changed with it, and only ConfigMaps are ever put back',
    ],
    [
      'what was before is not known',
      { ledger: { replaced: undefined as never } },
      'worked before is not known',
    ],
    [
      'what was before was taken back itself',
      { ledger: { refused: [{ key: 'cm/settings', content: digestOf('good') }] } },
      'worked before is not known',
    ],
    [
      'a peer works with it',
      { worksOn: 'Deployment shop/api' },
      'Deployment shop/api works with this content',
    ],
    [
      'it is frozen',
      { policy: { freezes: [{ place: 'workload', until: undefined, reason: undefined }] } },
      'while the workload is frozen',
    ],
    [
      'it is frozen for a time',
      { policy: { freezes: [{ place: 'workload', until: NOW + 1, reason: undefined }] } },
      'while the workload is frozen',
    ],
    [
      'the source is of another namespace',
      {
        sources: [
          present('settings', 'bad', {
            key: 'cm/other/settings',
            ref: { kind: 'ConfigMap', namespace: 'other', name: 'settings' },
          }),
        ],
        failed: { 'cm/other/settings': digestOf('bad') },
      },
      'is of another namespace',
    ],
  ])('it is refused, with what a person does instead, where %s', (_, parts, because) => {
    const planned = plan(parts);
    expect(planned.kind).toBe('refused');
    expect(planned).toHaveProperty('message', expect.stringContaining(because));
  });

  it.each<[string, Parts]>([
    ['it was taken back after this very reload', { restoring: begun('0') }],
    [
      'it was taken back after an earlier one',
      { ledger: { refused: [{ key: 'cm/settings', content: digestOf('bad') }] } },
    ],
  ])('nothing is restored twice: %s', (_, parts) => {
    const planned = plan({
      ...parts,
      sources: [present('settings', 'bad', { facts: { writtenBy: 'bot' } })],
    });
    expect(planned.kind).toBe('fought');
    expect(planned).toHaveProperty('message', expect.stringContaining('bot wrote it again'));
    expect(planned).toHaveProperty('sources', [{ kind: 'ConfigMap', namespace: 'shop', name: 'settings' }]);
    const unknown = plan({ ...parts, sources: [present('settings', 'bad')] });
    expect(unknown).toHaveProperty('message', expect.stringContaining('somebody wrote it again'));
  });
});

describe('a content is worth a copy', () => {
  const keeps = (parts: Parts, isSettled = true): string[] =>
    contentsToKeep(inputOf(parts), isSettled).map(({ metadata }) => metadata.name);

  it.each<[string, Parts, boolean?]>([
    ['its reload works', { result: 'ok' }, false],
    ['its reload was overtaken, and all is quiet', { result: 'superseded' }],
    ['no reload brought it, and all is quiet', { ledger: { seq: 9 } }],
  ])('where %s', (_, parts, isSettled) => {
    expect(keeps(parts, isSettled)).toEqual(['settings']);
  });

  it.each<[string, Parts, boolean?]>([
    ['its reload failed', { result: 'failed' }],
    ['its reload has no outcome yet', { result: 'open' }],
    ['no reload brought it, and something moves', { ledger: { seq: 9 } }, false],
    ['nobody asks for it', { result: 'ok', policy: { onFailure: 'hold' } }],
    ['the flag is off', { result: 'ok', settings: { restoreConfigMaps: false } }],
    ['the operator only observes', { result: 'ok', settings: { mode: 'observe' } }],
    ['it is not what runs', { result: 'ok', sources: [present('settings', 'newer')] }],
    [
      'it is a Secret',
      {
        result: 'ok',
        sources: [presentSecret('db', 'x')],
        ledger: { sources: entriesOf({ 'secret/db': 'x' }) },
      },
    ],
    ['it is gone', { result: 'ok', sources: [gone('settings')] }],
    [
      'it is of another namespace',
      {
        result: 'ok',
        sources: [
          present('settings', 'bad', {
            key: 'cm/other/settings',
            ref: { kind: 'ConfigMap', namespace: 'other', name: 'settings' },
          }),
        ],
        ledger: { sources: entriesOf({ 'cm/other/settings': 'bad' }) },
      },
    ],
  ])('not where %s', (_, parts, isSettled) => {
    expect(keeps(parts, isSettled)).toEqual([]);
  });
});
