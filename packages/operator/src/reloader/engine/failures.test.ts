import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../decide/decide.test.support.ts';
import { contentName } from '../model/failed-content.ts';
import type { Note } from '../model/ledger.ts';
import type { OutcomeResult } from '../model/verify.ts';
import { refOf } from '../model/workload.ts';
import { fakeWorld, workloadFacts } from '../want/world.test.support.ts';
import { Failures } from './failures.ts';

const BAD = contentName({ kind: 'ConfigMap', namespace: 'shop', name: 'settings' }, 'bad');
const web = workloadFacts();
const note = (result: OutcomeResult, uid = web.metadata.uid): Note => ({
  record: ledgerWith({ uid }),
  base: '-',
  outcomes: [{ seq: 1, result, at: 1, template: 't', sources: { 'cm/settings': 'bad' } }],
});

function stage(noted?: Note) {
  const woken: string[] = [];
  const notebook = { current: noted };
  const failures = new Failures({
    world: fakeWorld({ workloads: [web] }),
    workloads: () => [web],
    notebook: {
      note: () => (notebook.current ? { kind: 'note', note: notebook.current } : { kind: 'absent' }),
      put: (_, put) => {
        notebook.current = put;
      },
      forget: () => {
        notebook.current = undefined;
      },
    },
    states: { waitingForPeers: () => ['waiting'] },
    wake: (key) => void woken.push(key),
  });
  return { failures, notebook, woken };
}

describe('Content that failed', () => {
  it('is known from the notes, even if a view asked before they were read', () => {
    const { failures, notebook } = stage();
    expect(failures.known(BAD)).toEqual([]);
    notebook.current = note('failed');
    expect(failures.of(BAD)).toHaveLength(1);
  });

  it('wakes waiting workloads when it is noted and when it is removed', () => {
    const { failures, woken } = stage();
    failures.notebook.put(refOf(web), note('open'));
    expect(woken).toEqual([]);
    failures.notebook.put(refOf(web), note('timeout'));
    failures.notebook.put(refOf(web), note('failed'));
    expect(woken).toHaveLength(1);
    failures.notebook.forget(refOf(web));
    expect(woken).toHaveLength(2);
    expect(failures.of(BAD)).toEqual([]);
  });

  it('wakes waiting workloads also if another leader noted it', () => {
    const { failures, notebook, woken } = stage(note('ok'));
    expect(failures.of(BAD)).toEqual([]);
    notebook.current = note('failed');
    failures.reread(refOf(web));
    expect(woken).toHaveLength(1);
    expect(failures.of(BAD)).toHaveLength(1);
  });

  it('of a workload that was created anew does not count', () => {
    expect(stage(note('failed', 'of another')).failures.of(BAD)).toEqual([]);
  });
});
