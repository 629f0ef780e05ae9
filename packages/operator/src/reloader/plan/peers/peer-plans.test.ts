import { describe, expect, it } from 'vitest';
import type { Want } from '../../model/want.ts';
import type { WorkloadFacts } from '../../model/workload.ts';
import type { World } from '../../model/world.ts';
import { workloadFacts } from '../../want/world.test.support.ts';
import type { Plan } from '../action.ts';
import type { PeerLookup } from './lookup.ts';
import { PeerPlans } from './peer-plans.ts';

const NOW = Date.UTC(2026, 10, 16);
const workloads = Array.from({ length: 60 }, (_, index) => workloadFacts({ name: `peer-${index}` }));

const windows = (count: number): object => ({ windows: Array.from({ length: count }, () => ({})) });

/** Peers that follow a hundred sources each. */
class Peers {
  made = 0;
  note: ReturnType<PeerLookup['note']> = { kind: 'absent' };
  revision = 1;
  until: number | undefined;
  policy: object = { conditions: [], windows: [] };
  reloads = true;
  readonly world = { revision: () => this.revision } as unknown as World;

  /** How many of the peers a plan at this time knows. */
  known(now = NOW, world = this.world): number {
    const plans = new PeerPlans({
      world,
      peers: { note: () => this.note, known: () => undefined } as unknown as PeerLookup,
      operatorNamespace: 'reloader',
      planOf: () => this.#plan(),
      now,
    });
    const all = (): number => workloads.filter((each: WorkloadFacts) => plans.of(each) !== undefined).length;
    const first = all();
    expect(all(), 'asked again for another source').toBe(first);
    return first;
  }

  #plan(): Plan {
    this.made += 1;
    const ref = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
    const sources = Array.from({ length: 100 }, (_, at) => ({
      key: `cm/${at}`,
      ref,
      state: { kind: 'present' },
    }));
    const later = { kind: 'later', why: 'frozen', until: this.until };
    return {
      want: { sources, configs: [], policy: this.policy } as unknown as Want,
      action: {
        kind: 'defer',
        later,
        verdict: this.reloads
          ? { differences: [{ key: 'cm/0', reload: true }], reload: { policy: this.policy } }
          : { differences: [] },
      },
    } as unknown as Plan;
  }
}

describe('Plans of peers', () => {
  it.each([
    ['conditions', { conditions: [{}, {}, {}], windows: [] }, true, 1],
    ['conditions that need not be evaluated', { conditions: [{}, {}, {}], windows: [] }, false, 5],
    ['many windows', { conditions: [], windows: [windows(16), windows(16)] }, true, 1],
    ['many windows that need not be searched', { conditions: [], windows: [windows(32)] }, false, 1],
    ['few windows', { conditions: [], windows: [windows(1), windows(1)] }, true, 10],
  ])('with %s are made as many at a time as they allow', (_, policy, reloads, most) => {
    const peers = new Peers();
    Object.assign(peers, { policy, reloads });
    expect(peers.known()).toBe(most);
  });

  it('are made a few at a time, and each is made once', () => {
    const peers = new Peers();
    const first = peers.known();
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(30);
    expect(peers.known()).toBe(2 * first);
    for (let round = 0; round < 5; round += 1) peers.known();
    expect(peers.known()).toBe(60);
    expect(peers.made).toBe(60);
  });

  it.each([
    ['a source, a config or a Namespace changes', { revision: 2 }],
    ['their note changes', { note: { kind: 'absent' } as const }],
  ])('are made again when %s', (_, change) => {
    const peers = new Peers();
    const first = peers.known();
    Object.assign(peers, change);
    expect(peers.known()).toBe(first);
    expect(peers.made).toBe(2 * first);
  });

  it('are made again when a gate opens, and after a minute', () => {
    const peers = new Peers();
    peers.until = NOW + 5_000;
    const first = peers.known();
    expect(peers.known(NOW + 5_000)).toBe(first);
    peers.until = undefined;
    const later = new Peers();
    later.known();
    expect(later.known(NOW + 59_000)).toBe(2 * first);
    expect(later.known(NOW + 119_000)).toBe(first);
  });

  it('are all made where nobody follows the changes', () => {
    const peers = new Peers();
    expect(peers.known(NOW, {} as World)).toBe(60);
    expect(peers.known(NOW, {} as World)).toBe(60);
    expect(peers.made).toBe(120);
  });
});
