/**
 * Many doubts at one start: reloads that are justified by times alone wait for an approval, across restarts, and are
 * released together.
 */
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { deleteNotes } from '../notes-acts.ts';
import { noteNow } from '../records.ts';
import { scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';

/** One more than the operator reloads without an approval. */
const MANY = 21;
const auto = { auto: 'true' };
const nameOf = (number: number): string => `w${number}`;

/** Each with its own ConfigMap, which changed while no operator ran, and without a record. */
async function doubtful(s: Scene, count: number): Promise<Ref[]> {
  const names = Array.from({ length: count }, (_, number) => nameOf(number));
  await Promise.all(names.map((name) => s.configMap(name, { value: 'one' })));
  const refs = await Promise.all(
    names.map((name) => s.deployment(name, { annotations: auto, uses: [{ configMap: name }] })),
  );
  const first = await s.operator();
  await s.adopted(...refs);
  await first.stop();
  await deleteNotes(s.stage.client, s.stage.chronicle);
  // A change in the second of the creation cannot be told from the creation.
  await s.stage.quiet(1_000, 1_000);
  await Promise.all(names.map((name) => s.configMap(name, { value: 'two' })));
  return refs;
}

const isHeld = (s: Scene, ref: Ref): boolean => {
  const note = noteNow(s.stage.chronicle, ref);
  return note !== undefined && (JSON.parse(note) as { d?: { h?: 1 } }).d?.h === 1;
};

async function allHeld(s: Scene, refs: readonly Ref[]): Promise<void> {
  await s.stage
    .until('all to be held', () => refs.every((ref) => isHeld(s, ref)))
    .catch(() => expect(refs.filter((ref) => !isHeld(s, ref)).map(({ name }) => name)).toEqual([]));
}

/** The name of the pending change, from the Events. */
async function changeOf(s: Scene, ref: Ref): Promise<string> {
  const told = (): string | undefined =>
    s
      .events(ref)
      .filter(({ reason, type }) => reason === 'ManyDoubts' && type === 'Warning')
      .map(({ message }) => /approve: (\w+) this one/.exec(message)?.[1])
      .at(-1);
  await s.stage.until(`the Event on ${ref.name}`, () => told() !== undefined);
  return told() ?? '';
}

const rollouts = (s: Scene, refs: readonly Ref[]): number[] => refs.map((ref) => s.rollouts(ref));

export const doubts = [
  scenario(
    'doubts: more than 20 by times alone are held, told, kept through restarts and released',
    async (s) => {
      s.allow.unexplained = true;
      const [one, ...others] = await doubtful(s, MANY);
      if (!one) throw new Error('There are many');
      const config = await s.config('told', {
        watchedResources: { configMaps: [one.name] },
        targets: [{ kind: one.kind, name: one.name }],
      });
      const second = await s.operator();
      const refs = [one, ...others];
      await allHeld(s, refs);
      await s.stage.quiet();
      expect(rollouts(s, refs), 'held').toEqual(refs.map(() => 0));
      expect(s.said('ManyDoubts'), 'a line of the log').toBe(true);
      expect(await second.metrics()).toMatch(
        new RegExp(`^reloader_deferred\\{reason="doubt"\\} ${MANY}$`, 'm'),
      );
      await s.conditionIs(config, 'ManyDoubts', 'True', 'reloader approve --doubts');
      // One is approved, a user rolls out another, the ConfigMap of a third changes again while the operator watches.
      await s.annotate(one, { approve: await changeOf(s, one) });
      const [two, three, ...rest] = others;
      if (!two || !three) throw new Error('There are many');
      await s.image(two, 'registry.example/app:2');
      await s.configMap(three.name, { value: 'three' });
      await s.rolled([one, 1], [two, 1], [three, 1]);
      await second.kill();
      // The held ones wait for an approval, however few are left.
      await s.operator();
      await s.stage.quiet(5_000, 3_000);
      expect(rollouts(s, rest), 'held after a restart').toEqual(rest.map(() => 0));
      const changes = await Promise.all(rest.map((ref) => changeOf(s, ref)));
      await Promise.all(rest.map((ref, index) => s.annotate(ref, { approve: changes[index] ?? '' })));
      await s.rolled(...refs.map((ref) => [ref, 1] as const));
      expect(refs.filter((ref) => isHeld(s, ref))).toEqual([]);
    },
  ),

  scenario(
    'doubts: 20 by times alone are reloaded, once each',
    async (s) => {
      s.allow.unexplained = true;
      const refs = await doubtful(s, MANY - 1);
      await s.operator();
      await s.rolled(...refs.map((ref) => [ref, 1] as const));
      expect(s.said('ManyDoubts')).toBe(false);
    },
    // The other scenario shows the hold on the real control plane; this one only checks the limit.
    { only: 'minicluster' },
  ),
];
