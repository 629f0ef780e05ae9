/** Further random actions of the campaign: users open and close gates, keys are lost, servers lag. */
import { kinds, NotFoundError } from '@reloader/runtime';
import type { Ref } from '../../reloader/chronicle.ts';
import { DIGEST_KEY } from '../../reloader/names.ts';
import { NAMESPACE, type Storm } from '../storm.ts';
import { type Action, CONFIG_MAPS, SECRETS, type Weather } from '../weather-actions.ts';
import { HELD } from './gates.ts';
import type { Span } from './judge.ts';

/** Longer than every operator needs to see the freeze. */
const LONGEST_FREEZE_MS = 400_000;
const LONGEST_LAG_MS = 60_000;
const STEPS_BACK = 5;

/** Written by the actions, read by the judge. */
export interface Notices {
  readonly frozen: Map<string, Span[]>;
}

export function furtherActs({ frozen }: Notices): readonly Action[] {
  return [
    [
      4,
      'approves what waits for it',
      async ({ storm, random }) => {
        await approveAll(storm, random.chance(0.8) ? 'approve' : 'now');
      },
    ],
    [
      2,
      'freezes a workload, and lets go of it later',
      async ({ scene, storm, random, cast }) => {
        const ref = random.pick(cast.workloads);
        const length = 1 + random.int(LONGEST_FREEZE_MS);
        const from = storm.clock.now();
        const spans = frozen.get(ref.name) ?? [];
        // The end of the earlier freeze would end this one, too.
        if (spans.some(({ to }) => to >= from)) return;
        await scene.annotate(ref, { freeze: 'true' });
        frozen.set(ref.name, [...spans, { from, to: from + length }]);
        storm.clock.setTimeout(() => void thaw(scene.annotate(ref, { freeze: null })), length);
      },
    ],
    [
      2,
      'labels a source so that conditions hold it, and takes the label off later',
      async ({ scene, storm, random }) => {
        const ref = random.chance(0.5)
          ? scene.ref('Secret', random.pick(SECRETS))
          : scene.ref('ConfigMap', random.pick(CONFIG_MAPS));
        const label = (stage: string | null) => scene.merge(ref, { metadata: { labels: { stage } } });
        await label(HELD.stage);
        storm.clock.setTimeout(() => void thaw(label(null)), 1 + random.int(60_000));
      },
    ],
    [
      2,
      'lets one of three front ends fall behind, and catch up step by step',
      async ({ storm, random }) => {
        storm.replica.hold();
        const from = storm.revision;
        const lag = 1 + random.int(LONGEST_LAG_MS);
        for (let step = 1; step <= STEPS_BACK; step++) {
          storm.clock.setTimeout(
            () => {
              const behind = Math.floor(((storm.revision - from) * step) / STEPS_BACK);
              storm.replica.advanceTo(from + behind);
              if (step === STEPS_BACK) storm.replica.release();
            },
            (lag * step) / STEPS_BACK,
          );
        }
      },
    ],
    [
      1,
      'loses the digest key',
      async ({ storm, random }) => {
        await storm.client.delete(kinds.Secret, { namespace: NAMESPACE, name: DIGEST_KEY });
        // A running operator still has the old key; the next one to start creates another.
        if (storm.alive.length > 0 && random.chance(0.5)) storm.replaceOperator(random.pick(storm.alive));
      },
    ],
  ];
}

/** Approves as a user does who reads `reloader status`. Returns the number of changes that were pending. */
export async function approveAll(storm: Storm, word: 'approve' | 'now'): Promise<number> {
  const pending = (await Promise.all(storm.alive.map((operator) => operator.pending()))).flat();
  const meant = pending.filter(({ why }) => word === 'now' || why === 'approval' || why === 'doubt');
  for (const { workload, change } of meant) {
    if (change === undefined) continue;
    const body = { metadata: { annotations: { [`reloader.stakater.com/${word}`]: change } } };
    const type = kinds[workload.kind as 'Deployment' | 'StatefulSet' | 'DaemonSet'];
    await storm.client.patch(type, workload, { type: 'merge', body }, { fieldManager: 'user' });
  }
  return pending.length;
}

/** Opens every gate that a user can open. */
export async function openAll({ scene, storm, cast }: Weather, { frozen }: Notices): Promise<void> {
  storm.replica.release();
  const namespace = { kind: 'Namespace', namespace: '', name: scene.namespace };
  await scene.annotate(namespace, { freeze: null });
  await scene.merge(namespace, { metadata: { labels: { reload: 'yes' } } });
  for (const ref of cast.workloads) await scene.annotate(ref, { freeze: null });
  const now = storm.clock.now();
  for (const [name, spans] of frozen)
    frozen.set(
      name,
      spans.map(({ from, to }) => ({ from, to: Math.min(to, now) })),
    );
  const sources: Ref[] = [
    ...SECRETS.map((name) => scene.ref('Secret', name)),
    ...CONFIG_MAPS.map((name) => scene.ref('ConfigMap', name)),
  ];
  for (const ref of sources) await thaw(scene.merge(ref, { metadata: { labels: { stage: null } } }));
}

async function thaw(request: Promise<void>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
}
