import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../../decide/decide.test.support.ts';
import { formatLedger } from '../../ledger/ledger.ts';
import { baseOf, type ParsedNote } from '../../ledger/note.ts';
import { emptyMemory } from '../../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { SourceState } from '../../model/source-facts.ts';
import { REASONS } from '../../schedule/types.ts';
import { fakeWorld, sourceFacts, workloadFacts } from '../../want/world.test.support.ts';
import type { PeerPlan } from './peer-plans.ts';
import {
  behind,
  CONTENT,
  ended,
  NOW,
  OLD,
  orderInput,
  outcome,
  type Peer,
  refOfPeer,
  SOURCE,
} from './peers.test.support.ts';
import {
  isAside,
  plannedStanding,
  recordedStanding,
  type Standing,
  type StandingInput,
  workingPeer,
} from './standing.ts';

const REF = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;

/** Reload 2 was for another source, and its answer was lost: the outcome of reload 1 is still noted as open. */
function standing(known: ReturnType<StandingInput['peers']['known']>, decidesSince?: number) {
  const source = sourceFacts({ kind: 'ConfigMap', name: 'a', digest: 'a'.repeat(22) });
  const record = ledgerWith({
    seq: 2,
    reloadedAt: NOW / 1000,
    recent: [
      { seq: 1, at: 1, configs: [], sources: ['cm/a'] },
      { seq: 2, at: 2, configs: [], sources: ['cm/b'] },
    ],
  });
  const text = formatLedger({ ...record, sources: new Map([['cm/a', { digest: source.digest }]]) });
  const workload = workloadFacts({ annotations: { [FIXED_ANNOTATIONS.ledger]: text } });
  const outcome = {
    seq: 1,
    result: 'open' as const,
    at: 1,
    template: 't',
    sources: { 'cm/a': source.digest },
  };
  const note: ParsedNote = {
    kind: 'note',
    note: { record: { ...record, seq: 1 }, base: baseOf('before'), outcomes: [outcome] },
  };
  return recordedStanding(REF, SOURCE, {
    world: fakeWorld({ sources: [source], workloads: [workload] }),
    peers: { note: () => note, known: () => known } as unknown as StandingInput['peers'],
    install: { at: 0, keyId: 'key1', decidesSince },
    deadlineMs: 600_000,
    planOf: () => {
      throw new Error('no plan is needed');
    },
    now: NOW,
  });
}

it('waits for the reload that followed one whose outcome is unknown, and no longer', () => {
  const state = (following: object | undefined) =>
    ({ memory: undefined, following }) as unknown as ReturnType<StandingInput['peers']['known']>;
  expect(standing(state({ seq: 2 }))).toEqual({ kind: 'running' });
  expect(standing(undefined, NOW / 1000 - 10), 'a new process').toEqual({ kind: 'running' });
  expect(standing(state(undefined))).toMatchObject({ kind: 'aside', ended: true });
});

const OK: Standing = { kind: 'ok', at: NOW - 60_000 };
const UNAFFECTED: Standing = { kind: 'unaffected' };
const UNKNOWN: Standing = { kind: 'aside', why: 'superseded', begun: true, ended: true };
const recorded = (peer: Peer, parts: Partial<StandingInput> = {}): Standing | 'differs' =>
  recordedStanding(refOfPeer(peer), SOURCE, orderInput([peer], parts));
const rolled = workloadFacts().rollout;
const following = {
  seq: 1,
  reloadedAt: NOW / 1000 - 60,
  before: 'x',
  template: 'template',
  reached: 0,
  movedAt: NOW - 60_000,
};
const memory = emptyMemory('uid-web');

describe('a peer, by its record and the outcomes of its reloads', () => {
  it.each<[string, Peer, Standing | 'differs']>([
    ['is unaffected without a record', { name: 'web' }, UNAFFECTED],
    ['is unaffected while it is deleted', { ...ended('web', 'ok'), facts: { deleting: true } }, UNAFFECTED],
    ['has to be planned if it has other content', behind('web'), 'differs'],
    ['succeeded', ended('web', 'ok'), OK],
    [
      'failed, with its message',
      ended('web', 'failed', { message: 'crash' }),
      { kind: 'failed', seq: 1, message: 'crash' },
    ],
    ['failed without a message', ended('web', 'timeout'), { kind: 'failed', seq: 1, message: 'timeout' }],
    ['is unknown if another reload followed', ended('web', 'superseded'), UNKNOWN],
    ['is open', ended('web', 'open'), { kind: 'running' }],
    [
      'is open, and held by its own settings',
      { ...ended('web', 'open'), facts: { rollout: { ...rolled, updated: 0, waits: 'paused' } } },
      { kind: 'aside', why: expect.any(String), begun: true, ended: true },
    ],
    [
      'is unaffected if it adopted the content',
      { name: 'web', content: CONTENT, record: { seq: 1 } },
      UNAFFECTED,
    ],
  ])('%s', (_, peer, expected) => {
    expect(recorded(peer)).toEqual(expected);
  });

  it('has the content only as a whole, and only if it is not deleted', () => {
    const entry = (sources: Parameters<typeof ledgerWith>[0]) => ({ sources: ledgerWith(sources).sources });
    const of = (record: Pick<Ledger, 'sources'>) =>
      recorded({ ...ended('web', 'ok'), record: { seq: 1, ...record } });
    expect(of(entry({ sources: { 'cm/a': { digest: CONTENT, scope: 'keys' } } }))).toBe('differs');
    expect(of(entry({ sources: { 'cm/a': { digest: CONTENT, gone: true } } }))).toBe('differs');
  });

  it('has no content of a deleted source only if that is recorded', () => {
    const of = (gone: boolean, kind: 'gone' | 'unknown') => {
      const entry = { digest: CONTENT, ...(gone && { gone: true as const }) };
      const content = `${CONTENT}${gone ? '!' : ''}`;
      const peer = {
        ...ended('web', 'ok'),
        record: { seq: 1, sources: new Map([['cm/a', entry]]) },
        outcomes: [outcome('ok', { content })],
      };
      const input = orderInput([peer]);
      const source = (): SourceState => (kind === 'gone' ? { kind } : { kind, why: 'forbidden' });
      return recordedStanding(REF, SOURCE, { ...input, world: { ...input.world, source } });
    };
    expect(of(true, 'gone')).toEqual(OK);
    expect(of(false, 'gone')).toBe('differs');
    expect(of(true, 'unknown')).toBe('differs');
  });

  it('that a newer version noted is not waited for', () => {
    const input = orderInput([{ name: 'web' }]);
    const peers = { ...input.peers, note: (): ParsedNote => ({ kind: 'newer', version: 9 }) };
    expect(recordedStanding(REF, SOURCE, { ...input, peers })).toEqual({
      kind: 'aside',
      why: 'noted by a newer version',
      begun: false,
    });
  });
});

describe('a peer whose reload has no outcome', () => {
  const recent = [{ seq: 1, at: 1, configs: [], sources: ['cm/a'] }];
  const reloaded: Peer = { name: 'web', content: CONTENT, record: { seq: 1, reloadedAt: 7, recent } };
  const at7 = { kind: 'ok', at: 7000 };
  const during = (rollout: Partial<typeof rolled>, state: Peer['state'] = { memory, following }): Peer => ({
    ...reloaded,
    state,
    facts: { rollout: { ...rolled, ...rollout }, templateDigest: 'template' },
  });

  it.each<[string, Peer, object, number | undefined]>([
    ['succeeded if its rollout has ended', reloaded, at7, undefined],
    ['is running until a new process looked at it', reloaded, { kind: 'running' }, NOW / 1000 - 29],
    ['is judged by its record half a minute later', reloaded, at7, NOW / 1000 - 30],
    [
      'succeeded if it was followed to its end',
      during({ updated: 0 }, { memory, following: undefined }),
      at7,
      undefined,
    ],
    [
      'failed, by its note',
      { ...reloaded, failed: { seq: 1, at: 1, message: 'crash' } },
      { kind: 'failed', seq: 1, message: 'crash' },
      undefined,
    ],
    [
      'succeeded if its note is of another reload',
      { ...reloaded, failed: { seq: 9, at: 1, message: 'crash' } },
      at7,
      undefined,
    ],
    [
      'is held by its own settings',
      during({ updated: 0, waits: 'paused' }),
      { kind: 'aside', begun: true, ended: true },
      undefined,
    ],
  ])('%s', (_, peer, expected, decidesSince) => {
    const install = { at: 0, keyId: 'key1', decidesSince };
    expect(recorded(peer, { install })).toMatchObject(expected);
  });

  it('succeeded if a later reload was for another source', () => {
    const later = [...recent, { seq: 2, at: 2, configs: [], sources: ['cm/b'] }];
    expect(recorded({ ...reloaded, record: { seq: 2, reloadedAt: 7, recent: later } })).toEqual(at7);
  });

  it('is running, or failed, as its rollout shows', () => {
    const unseen = { ...following, before: '1' };
    const seen = (movedAt: number) => during({}, { memory, following: { ...unseen, movedAt } });
    expect(recorded(seen(NOW - 1000))).toEqual({ kind: 'running' });
    expect(recorded(during({ updated: 0 }))).toEqual({ kind: 'running' });
    const failed = during({ updated: 0, deadlineExceeded: true });
    expect(recorded(failed)).toMatchObject({ kind: 'failed', seq: 1 });
  });
});

describe('a peer with other content, by its own plan', () => {
  const planned = (plan: Partial<PeerPlan> | undefined, peer = behind('web', plan)): Standing =>
    plannedStanding(REF, SOURCE, orderInput([peer]));
  const none = new Set<string>();

  it.each<[string, Partial<PeerPlan> | undefined, object]>([
    [
      'is pending until it is planned',
      undefined,
      { kind: 'pending', why: 'being looked into', unseen: true },
    ],
    ['is about to begin', { kind: 'reload' }, { kind: 'pending', why: 'about to begin' }],
    ['waits', { kind: 'defer', why: 'window', heldBy: 'window' }, { kind: 'pending', why: 'window' }],
    [
      'is frozen',
      { kind: 'defer', why: 'frozen', heldBy: 'frozen' },
      { kind: 'aside', why: 'frozen', begun: false },
    ],
    ['waits for what it does not say', { kind: 'defer', why: 'x' }, { kind: 'pending', why: 'x' }],
    ['asks its pods', { kind: 'ask-pods' }, { kind: 'pending', why: 'being looked into' }],
    ['waits for its rollout', { kind: 'wait' }, { kind: 'pending', why: 'being looked into' }],
    ['only records', { kind: 'record' }, UNAFFECTED],
    ['is left alone', { kind: 'leave', why: 'paused' }, UNAFFECTED],
    ['does not follow the source', { kind: 'reload', wanted: none }, UNAFFECTED],
    ['is reloaded for another source, and has no record', { kind: 'reload', changed: none }, UNAFFECTED],
    ['waits for another source, and has no record', { kind: 'defer', why: 'x', changed: none }, UNAFFECTED],
  ])('%s', (_, plan, expected) => {
    expect(planned(plan)).toEqual(expected);
  });

  it.each<Partial<PeerPlan>>([
    { kind: 'leave', why: 'up-to-date' },
    { kind: 'reload', changed: none },
    { kind: 'defer', why: 'x', changed: none },
  ])('has what counts of the content: %j', (plan) => {
    const record = ledgerWith({ uid: 'uid-web', seq: 1, sources: { 'cm/a': { digest: OLD } } });
    const peer = {
      ...behind('web', { ...plan, recorded: record }),
      outcomes: [outcome('ok', { content: OLD })],
    };
    expect(planned(undefined, peer)).toEqual(OK);
  });

  it.each<Partial<PeerPlan>>([{ kind: 'leave', why: 'paused' }, { kind: 'record' }])(
    'is unaffected where nothing is rolled out, whatever its record: %j',
    (plan) => {
      const record = ledgerWith({ uid: 'uid-web', seq: 1, sources: { 'cm/a': { digest: OLD } } });
      const peer = {
        ...behind('web', { ...plan, recorded: record }),
        outcomes: [outcome('ok', { content: OLD })],
      };
      expect(planned(undefined, peer)).toEqual(UNAFFECTED);
    },
  );

  it('is unaffected if it is gone', () => {
    expect(plannedStanding({ ...REF, name: 'gone' }, SOURCE, orderInput([]))).toEqual(UNAFFECTED);
  });
});

describe('another workload that works with a content', () => {
  const own = { ...REF, name: 'own' };
  const facts = sourceFacts({ name: 'a', digest: CONTENT });
  const working = (...peers: Peer[]) => workingPeer(own, SOURCE, facts, CONTENT, orderInput(peers));

  it.each<[string, Peer[], string | undefined]>([
    ['is found', [ended('web', 'ok')], 'Deployment shop/web'],
    [
      'is the first that succeeded',
      [ended('api', 'failed'), ended('web', 'ok'), ended('x', 'ok')],
      'Deployment shop/web',
    ],
    ['is not the workload itself', [ended('own', 'ok')], undefined],
    ['is not one that failed', [ended('web', 'failed')], undefined],
    ['is not one that is deleted', [{ ...ended('web', 'ok'), facts: { deleting: true } }], undefined],
    ['is not one without a record', [{ name: 'web' }], undefined],
    [
      'is not one that has other content',
      [{ ...behind('web'), outcomes: [outcome('ok', { content: OLD })] }],
      undefined,
    ],
  ])('%s', (_, peers, expected) => {
    expect(working(...peers)).toBe(expected);
  });

  it('may follow the same keys of it', () => {
    const entry = { digest: OLD, scope: 'keys' };
    const record = { seq: 1, sources: new Map([['cm/a', entry]]) };
    const peer = { ...ended('web', 'ok'), record, outcomes: [outcome('ok', { content: `${OLD}#keys` })] };
    expect(workingPeer(own, SOURCE, facts, `${OLD}#keys`, orderInput([peer]))).toBe('Deployment shop/web');
    expect(working(peer)).toBeUndefined();
  });
});

it('is not waited for while a user holds it', () => {
  expect(REASONS.filter(isAside)).toEqual(['frozen', 'observing', 'invalid', 'condition']);
});
