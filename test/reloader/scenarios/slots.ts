/**
 * The limit of concurrent rollouts: every slot has a deadline, no workload misses a free slot, and the fix of a failure
 * is never held.
 */
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { LEDGER } from '../names.ts';
import { type Scenario, scenario } from '../scenario.ts';
import { annotationsOf, type Scene } from '../scene.ts';
import { neverReady } from './fragile.ts';

const auto = { auto: 'true' };
const MINUTES = 60_000;

/** The revisions between which the first rollout of a Deployment was in progress. */
function span(s: Scene, ref: Ref): { readonly begin: number; readonly end: number } {
  const versions = s.stage.chronicle.of(ref);
  const begin =
    versions.find(({ object }) => annotationsOf(object)[LEDGER]?.includes('"seq":1'))?.revision ?? 0;
  const end = versions.find(({ revision, object }) => {
    const status = (object.status ?? {}) as Record<string, number | undefined>;
    const isCurrent = status.observedGeneration === object.metadata.generation;
    const counts = [status.updatedReplicas, status.availableReplicas, status.replicas];
    return revision > begin && isCurrent && counts.every((count) => count === 1);
  });
  return { begin, end: end?.revision ?? Number.POSITIVE_INFINITY };
}

/** The highest number of rollouts in progress at once. */
function most(spans: readonly { readonly begin: number; readonly end: number }[]): number {
  const steps = spans.flatMap(({ begin, end }) => [
    { at: begin, by: 1 },
    { at: end, by: -1 },
  ]);
  steps.sort((a, b) => a.at - b.at || a.by - b.by);
  let running = 0;
  return Math.max(0, ...steps.map(({ by }) => (running += by)));
}

function crowd(count: number, cap: number): Scenario {
  return scenario(
    `${count} workloads, ${cap} at a time, one broken StatefulSet and a change of leader: nobody waits longer than the deadline`,
    async (s) => {
      await s.configMap('own', { mode: '1' });
      await s.configMap('common', { mode: '1' });
      const db = await neverReady(s, 'StatefulSet', 'db', {
        annotations: auto,
        uses: [{ configMap: 'own' }],
      });
      const options = {
        annotations: auto,
        uses: [{ configMap: 'common' }],
        templateAnnotations: { 'minicluster.dev/behaviour': '{"readyMs":3000}' },
      };
      const names = Array.from({ length: count }, (_, index) => `web-${index}`);
      const webs = await Promise.all(names.map((name) => s.deployment(name, options)));
      const [first] = webs as [Ref];
      const deadlineMs = s.isVirtual ? 15 * MINUTES : 20_000;
      // Without settling, the next leader decides as soon as it sees a workload.
      const args = [
        '--settle=0s',
        `--max-unfinished-rollouts=${cap}`,
        `--rollout-deadline=${s.stage.span('15m', '20s')}`,
      ];
      const before = await s.operator({ args });
      await s.adopted(db, ...webs);
      await s.configMap('own', { mode: '2' });
      await s.stage.until('the broken one to begin', () => s.rollouts(db) === 1);
      const began = s.stage.now();
      await s.configMap('common', { mode: '2' });
      const rolled = (): number => webs.filter((ref) => s.rollouts(ref) > 0).length;
      // Each rollout takes three seconds, and every free slot must be used.
      const all = Math.max(2 * MINUTES, (count / cap) * 4_000);
      if (cap === 1) {
        await s.stage.until('the blocker to be named', () =>
          s.events(first).some(({ message }) => message.includes(`waits for StatefulSet ${s.namespace}/db`)),
        );
        await s.stage.quiet(MINUTES, 2_000);
        expect(rolled()).toBe(0);
      } else {
        for (let waited = 0; rolled() < count / 2 && waited < all; waited += 500)
          await s.stage.quiet(500, 100);
        expect(rolled()).toBeLessThan(count);
      }
      await before.kill();
      await s.operator({ args });
      if (cap === 1) {
        await s.stage.quiet(deadlineMs - 2 * MINUTES, 0);
        await s.stage.until('the slot to be free', () => rolled() > 0, 4 * MINUTES);
        expect(s.stage.now() - began, 'no longer than the deadline').toBeLessThan(deadlineMs + 45_000);
        await s.configMap('own', { mode: '3' });
        await s.stage.until('the fix to begin', () => s.rollouts(db) === 2, 15_000);
        expect(rolled(), 'others still wait').toBeLessThan(count);
      }
      for (let waited = 0; rolled() < count && waited < all; waited += 5_000) await s.stage.quiet(5_000, 500);
      expect(rolled()).toBe(count);
      for (const ref of webs) await s.running(ref);
      expect(most(webs.map((ref) => span(s, ref)))).toBeLessThanOrEqual(cap);
      expect(webs.map((ref) => s.rollouts(ref))).toEqual(webs.map(() => 1));
      expect(s.rollouts(db)).toBe(cap === 1 ? 2 : 1);
    },
  );
}

/** The same with many workloads, which takes minutes. */
export const manySlots = [crowd(200, 1), crowd(200, 10)];

export const slots = [
  crowd(12, 1),
  crowd(40, 10),

  scenario('a freed slot that its first waiter no longer needs goes to the next', async (s) => {
    await s.configMap('first', { mode: '1' });
    await s.configMap('second', { mode: '1' });
    const slow = { 'minicluster.dev/behaviour': '{"readyMs":20000}' };
    const on = (configMap: string) => ({ annotations: auto, uses: [{ configMap }] });
    const holder = await neverReady(s, 'StatefulSet', 'holder', on('first'));
    const fickle = await s.deployment('fickle', { ...on('second'), templateAnnotations: slow });
    const next = await s.deployment('next', on('second'));
    await s.operator({
      args: ['--max-unfinished-rollouts=1', `--rollout-deadline=${s.stage.span('2m', '8s')}`],
    });
    await s.adopted(holder, fickle, next);
    await s.configMap('first', { mode: '2' });
    await s.stage.until('the holder to begin', () => s.rollouts(holder) === 1);
    await s.configMap('second', { mode: '2' });
    await s.stage.quiet(10_000, 1_500);
    expect([s.rollouts(fickle), s.rollouts(next)]).toEqual([0, 0]);
    await s.annotate(fickle, { freeze: 'true' });
    await s.stage.until('the next one', () => s.rollouts(next) === 1, 4 * MINUTES);
    expect(s.rollouts(fickle)).toBe(0);
    await s.annotate(fickle, { freeze: null });
    await s.rolled([fickle, 1], [next, 1]);
  }),

  scenario('a rollout whose own deadline is years away holds its slot no longer than others', async (s) => {
    await s.configMap('first', { mode: '1' });
    await s.configMap('second', { mode: '1' });
    const on = (configMap: string) => ({ annotations: auto, uses: [{ configMap }] });
    const spec = { progressDeadlineSeconds: 1_000_000_000 };
    const holder = await neverReady(s, 'Deployment', 'holder', { ...on('first'), spec });
    const next = await s.deployment('next', on('second'));
    await s.operator({
      args: ['--max-unfinished-rollouts=1', `--rollout-deadline=${s.stage.span('2m', '8s')}`],
    });
    await s.adopted(holder, next);
    await s.configMap('first', { mode: '2' });
    await s.stage.until('the holder to begin', () => s.rollouts(holder) === 1);
    await s.configMap('second', { mode: '2' });
    await s.stage.quiet(MINUTES, 1_500);
    expect(s.rollouts(next)).toBe(0);
    await s.stage.until('the next one', () => s.rollouts(next) === 1, 4 * MINUTES);
    expect(s.events(holder).map(({ reason }) => reason)).not.toContain('RolloutFailed');
  }),
];
