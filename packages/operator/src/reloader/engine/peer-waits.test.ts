import { describe, expect, it } from 'vitest';
import { emptyMemory } from '../ledger/remember.ts';
import type { WorkloadRef } from '../model/workload.ts';
import { PeerWaits } from './peer-waits.ts';
import { newState, type WorkloadState } from './state.ts';

const ref = (name: string): WorkloadRef => ({ kind: 'Deployment', namespace: 'shop', name });
const key = (name: string): string => `Deployment/shop/${name}`;
const later = (why: string) => ({ why }) as WorkloadState['deferred'];
const rolling = (failed?: string) =>
  ({ ...(failed !== undefined && { failed }) }) as unknown as WorkloadState['following'];

function stage() {
  const woken: string[] = [];
  const states = new Map<string, WorkloadState>();
  const held = new Set<string>();
  const waits = new PeerWaits(
    (each) => woken.push(each),
    { of: ({ name }) => states.get(name) },
    ({ name }) => held.has(name),
  );
  const look = (name: string, state: Partial<WorkloadState> = {}): void => {
    states.set(name, { ...newState(emptyMemory('uid')), ...state });
    waits.looked(ref(name));
  };
  return { waits, woken, states, held, look };
}

describe('A workload that waits for peers is woken', () => {
  it('when all of them are through, and once', () => {
    const { waits, woken, look } = stage();
    waits.wait(key('web'), [key('a'), key('b')]);
    look('a');
    look('a');
    expect(woken).toEqual([]);
    look('b');
    look('b');
    expect(woken).toEqual([key('web')]);
  });

  it.each<[string, Partial<WorkloadState>, boolean]>([
    ['rolls out', { following: rolling() }, false],
    ['is evicted', { eviction: { since: 0, movedAt: 0, blocked: undefined } }, false],
    ['waits for its window', { deferred: later('window') }, false],
    ['was frozen', { deferred: later('frozen') }, true],
    ['is held by its condition', { deferred: later('condition') }, true],
    ['has failed', { following: rolling('crash') }, true],
  ])('by one that %s: %#', (_, state, isWoken) => {
    const { waits, woken, look } = stage();
    waits.wait(key('web'), [key('a')]);
    look('a', state);
    expect(woken).toEqual(isWoken ? [key('web')] : []);
  });

  it('by one whose rollout waits for a person', () => {
    const { waits, woken, held, look } = stage();
    waits.wait(key('web'), [key('a')]);
    held.add('a');
    look('a', { following: rolling() });
    expect(woken).toEqual([key('web')]);
  });

  it('by a failure once, and once more when it heals', () => {
    const { waits, woken, look } = stage();
    const failing = { following: rolling('crash') };
    waits.wait(key('web'), [key('a')]);
    look('a', failing);
    waits.wait(key('web'), [key('a')]);
    look('a', failing);
    expect(woken).toHaveLength(1);
    look('a');
    expect(woken).toHaveLength(2);
  });

  it('by one that is gone', () => {
    const { waits, woken } = stage();
    waits.wait(key('web'), [key('a')]);
    waits.looked(ref('a'));
    expect(woken).toEqual([key('web')]);
  });

  it('no more once it waits for other peers, or for none', () => {
    const { waits, woken, look } = stage();
    waits.wait(key('web'), [key('a')]);
    waits.wait(key('web'), [key('b')]);
    look('a');
    waits.wait(key('web'), []);
    look('b');
    expect(woken).toEqual([]);
  });
});
