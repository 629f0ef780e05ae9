/** Random histories: whatever the order of events, no change is lost in the end and nothing restarts twice. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WalkCluster } from './decide.walk.test.support.ts';

const NAMES = ['a', 'b'] as const;
type Step = readonly [what: string, run: (cluster: WalkCluster) => void];

const name = fc.constantFrom(...NAMES);
const step = (what: string, run: (cluster: WalkCluster) => void): fc.Arbitrary<Step> =>
  fc.constant([what, run] as const);
const named = (what: string, run: (cluster: WalkCluster, name: string) => void): fc.Arbitrary<Step> =>
  name.map((of) => [`${what} ${of}`, (cluster: WalkCluster) => run(cluster, of)] as const);

const passes: fc.Arbitrary<Step>[] = [
  step('pass', (cluster) => void cluster.pass({})),
  step('pass, deferred', (cluster) => void cluster.pass({ defer: true })),
  step('pass, deferred for long', (cluster) => void cluster.pass({ defer: true, long: true })),
  step('pass, crash after the write', (cluster) => void cluster.pass({ crashAfterWrite: true })),
  step('pass, and its PATCH is refused', (cluster) => void cluster.pass({ refused: true })),
  step('pass before our write is seen', (cluster) => {
    const decision = cluster.passUnseen();
    if (decision) expect(decision).toMatchObject({ action: 'nothing', because: 'write-not-seen' });
  }),
  step('crash', (cluster) => cluster.crash()),
  step('pass, crash before its note is stored', (cluster) => void cluster.pass({ unstored: true })),
];
const edits: fc.Arbitrary<Step>[] = [
  named('edit', (cluster, of) => cluster.edit(of)),
  named('take back', (cluster, of) => cluster.takeBack(of)),
];
const byOthers: fc.Arbitrary<Step>[] = [
  step('template edited', (cluster) => cluster.editTemplate()),
  step('mark stripped', (cluster) => cluster.stripMark()),
  step('ledger stripped', (cluster) => cluster.stripLedger()),
  step('undo', (cluster) => cluster.undo()),
  step('rollout ends', (cluster) => cluster.finishRollout()),
];
const deletions: fc.Arbitrary<Step>[] = [
  named('delete', (cluster, of) => cluster.delete(of)),
  named('create as before', (cluster, of) => cluster.create(of, true)),
  named('create anew', (cluster, of) => cluster.create(of, false)),
];

const historyOf = (steps: fc.Arbitrary<Step>[]): fc.Arbitrary<History> =>
  fc.array(fc.tuple(fc.oneof(...steps), fc.integer({ min: 1, max: 20 })), { maxLength: 40, size: 'max' });

type History = readonly (readonly [Step, number])[];

function walk(cluster: WalkCluster, history: History): WalkCluster {
  for (const [[, run], seconds] of history) {
    cluster.tick(seconds);
    run(cluster);
  }
  return cluster;
}

/** `runs` histories for each property. */
export function walks(runs: number): void {
  function check(steps: fc.Arbitrary<Step>[], property: (cluster: WalkCluster) => void): void {
    fc.assert(
      fc.property(historyOf(steps), (history) => property(walk(new WalkCluster(NAMES), history))),
      { numRuns: runs },
    );
  }

  const endRight = (steps: fc.Arbitrary<Step>[]): void =>
    it('end with every pod on the current content, and nothing left to do', () => {
      check(steps, (cluster) => {
        expect(cluster.settle()).toMatchObject({ action: 'nothing', record: undefined });
        expect(cluster.outdated()).toEqual([]);
      });
    });

  describe('edits, templates changed by others, crashes, deferrals, stripped ledgers, undone rollouts', () => {
    const steps = [...passes, ...passes, ...edits, ...edits, ...byOthers];

    endRight(steps);

    it('make no reload that no pod needed', () => {
      check(steps, (cluster) => {
        cluster.settle();
        expect(cluster.reloads.filter(({ needed }) => !needed)).toEqual([]);
      });
    });
  });

  describe('sources that come and go', () => {
    const steps = [...passes, ...edits, ...deletions];

    endRight(steps);

    it('make no reload that no pod needed, except for a source re-created with other content', () => {
      check(steps, (cluster) => {
        cluster.settle();
        const needless = cluster.reloads.filter(({ needed }) => !needed);
        for (const { findings } of needless) expect(findings).toContain('recreated');
      });
    });
  });

  describe('a workload that asks for reloads only later', () => {
    const before = historyOf([...passes, ...edits, ...byOthers]);
    const after = historyOf(passes);

    it('is adopted as it is, whatever its sources were before', () => {
      fc.assert(
        fc.property(before, after, (unasked, asked) => {
          const cluster = walk(new WalkCluster(NAMES, { asks: false }), unasked);
          cluster.optIn();
          walk(cluster, asked);
          expect(cluster.settle()).toMatchObject({ action: 'nothing' });
          expect(cluster.reloads).toEqual([]);
        }),
        { numRuns: runs },
      );
    });
  });
}
