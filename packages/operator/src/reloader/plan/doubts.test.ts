/** Reloads for which only times are evidence: made, counted or held, and the note about them. */
import { describe, expect, it } from 'vitest';
import { NO_BASE, type ParsedNote } from '../ledger/note.ts';
import { NO_SLOTS } from '../model/budget.ts';
import type { DoubtCount } from '../model/doubts.ts';
import type { Ledger, NotedDoubt } from '../model/ledger.ts';
import {
  defaultSettings,
  fakeWorld,
  namespaceFacts,
  sourceFacts,
  usingPodSpec,
  workloadFacts,
} from '../want/world.test.support.ts';
import { type PlanInput, plan } from './plan.ts';

const NOW = 5_000_000;
const SECRET = { kind: 'Secret', name: 'db' } as const;
const workload = workloadFacts({
  annotations: { 'reloader.stakater.com/auto': 'true' },
  podSpec: usingPodSpec(SECRET),
});

function input(parts: Partial<PlanInput> = {}, content = 'new'): PlanInput {
  const source = sourceFacts({ ...SECRET, digest: content.padEnd(22, '_'), createdAt: 200, writtenAt: 3000 });
  return {
    workload,
    world: fakeWorld({ sources: [source], workloads: [workload], namespaces: [namespaceFacts()] }),
    settings: defaultSettings({ settleMs: 0 }),
    install: { at: 100, keyId: 'key1' },
    note: { kind: 'absent' },
    memory: undefined,
    pods: { readSince: [2000] },
    slots: () => NO_SLOTS,
    following: undefined,
    now: NOW,
    ...parts,
  };
}

/** The notebook's entry after a plan that waits: the next process knows no more than this. */
function notedBy(given: PlanInput): { readonly record: Ledger; readonly doubt: NotedDoubt } {
  const { action } = plan(given);
  if (action.kind !== 'defer' || !action.ledger || !action.byTimesAlone) throw new Error('It waits in doubt');
  return { record: action.ledger, doubt: action.byTimesAlone };
}

const noteOf = (given: PlanInput): ParsedNote => ({
  kind: 'note',
  note: { ...notedBy(given), base: NO_BASE },
});

const HELD = noteOf(input({ doubts: 'many' }));
const COUNTED = noteOf(input({ doubts: 'counting' }));

describe('a reload for which only times are evidence', () => {
  it.each<[string, DoubtCount | undefined, ParsedNote, string]>([
    ['new, and everybody was looked at', 'few', { kind: 'absent' }, 'reload'],
    ['new, and not everybody was looked at', 'counting', { kind: 'absent' }, 'settling'],
    ['new, and one of many', 'many', { kind: 'absent' }, 'doubt'],
    ['noted before a crash, and counted again', 'counting', COUNTED, 'settling'],
    ['noted before a crash, and one of few', 'few', COUNTED, 'reload'],
    ['noted before a crash, and one of many', 'many', COUNTED, 'doubt'],
    ['held, and then one of few', 'few', HELD, 'doubt'],
    ['held, and not everybody was looked at', 'counting', HELD, 'doubt'],
    ['held, for those who only look', undefined, HELD, 'doubt'],
  ])('%s', (_, doubts, note, expected) => {
    const { action } = plan(input({ note, ...(doubts && { doubts }) }));
    expect(action.kind === 'defer' ? action.later.why : action.kind).toBe(expected);
    expect(action).toMatchObject({ byTimesAlone: { held: expected === 'doubt' } });
  });

  it('stays one within a process, although the pending change was noted meanwhile', () => {
    const first = plan(input({ doubts: 'counting' }));
    const { record } = notedBy(input({ doubts: 'counting' }));
    const note: ParsedNote = { kind: 'note', note: { record, base: NO_BASE } };
    const { action } = plan(input({ memory: first.memory, note, doubts: 'many' }));
    expect(action).toMatchObject({ kind: 'defer', later: { why: 'doubt' } });
  });

  it('is none any more once the source has other content: that change was observed', () => {
    expect(plan(input({ note: HELD, doubts: 'many' }, 'newer')).action).not.toHaveProperty('byTimesAlone');
    expect(plan(input({ note: HELD, doubts: 'many' }, 'newer')).action.kind).toBe('reload');
  });
});
