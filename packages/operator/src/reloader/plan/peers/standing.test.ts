import { expect, it } from 'vitest';
import { ledgerWith } from '../../decide/decide.test.support.ts';
import { formatLedger } from '../../ledger/ledger.ts';
import { baseOf, type ParsedNote } from '../../ledger/note.ts';
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import { fakeWorld, sourceFacts, workloadFacts } from '../../want/world.test.support.ts';
import { recordedStanding, type StandingInput } from './standing.ts';

const SOURCE = { kind: 'ConfigMap', namespace: 'shop', name: 'a' } as const;
const REF = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;
const NOW = Date.UTC(2030, 0, 1);

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
