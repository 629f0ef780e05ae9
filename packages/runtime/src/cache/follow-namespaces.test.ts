import { describe, expect, it } from 'vitest';
import { followNamespaces } from './follow-namespaces.ts';
import { startInformer } from './harness.test.support.ts';

/** Items stand in for Namespaces: only their names matter. */
describe('Following the namespaces of the cluster', () => {
  it('changes the set once for namespaces that arrive together, and with every later change', async () => {
    const { informer, server, clock, stop } = await startInformer({
      prepare: (prepared) => {
        prepared.put('x/blue', 'watched');
        prepared.put('x/red', 'watched');
        prepared.put('x/grey', 'ignored');
      },
    });
    const sets: string[][] = [];
    const target = { setNamespaces: (names: Iterable<string>) => void sets.push([...names].sort()) };
    const following = followNamespaces(informer, target, (namespace) => namespace.data?.value === 'watched');
    await clock.settle();
    server.put('x/green', 'watched');
    await clock.settle();
    server.remove('x/red');
    server.put('x/blue', 'ignored');
    await clock.settle();
    expect(sets[0]).toEqual(['blue', 'red']);
    expect(sets[1]).toEqual(['blue', 'green', 'red']);
    expect(sets.at(-1)).toEqual(['green']);
    expect(following.synced).toBe(true);
    const before = sets.length;
    following.remove();
    server.put('x/blue', 'watched');
    await clock.settle();
    expect(sets).toHaveLength(before);
    await stop();
  });

  it('stops at once when it is told to', async () => {
    const { informer, clock, stop } = await startInformer({ prepare: (server) => void server.put('x/blue') });
    const sets: string[][] = [];
    const following = followNamespaces(informer, { setNamespaces: (names) => void sets.push([...names]) });
    following.remove();
    await clock.settle();
    expect(sets).toEqual([]);
    await stop();
  });

  it('sets an empty set if there are none', async () => {
    const { informer, clock, stop } = await startInformer();
    const sets: string[][] = [];
    followNamespaces(informer, { setNamespaces: (names) => void sets.push([...names]) });
    await clock.settle();
    expect(sets).toEqual([[]]);
    await stop();
  });
});
