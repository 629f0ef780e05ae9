/** Random actions of users, pipelines and accidents on a cluster, one at a time. */
import { kinds, NotFoundError } from '@reloader/runtime';
import type { Random } from '@reloader/runtime/testing';
import type { Ref } from '../reloader/chronicle.ts';
import { LEDGER } from '../reloader/names.ts';
import { deleteNotes, notesOf, restoreNotes } from '../reloader/notes-acts.ts';
import type { Scene } from '../reloader/scene.ts';
import type { Storm } from './storm.ts';

export interface Cast {
  readonly workloads: readonly Ref[];
  readonly config: Ref;
}

export interface Weather {
  readonly scene: Scene;
  readonly storm: Storm;
  readonly random: Random;
  readonly cast: Cast;
}

export type Action = readonly [weight: number, name: string, act: (weather: Weather) => Promise<void>];

export const SECRETS = ['db', 'cert'];
export const CONFIG_MAPS = ['settings', 'routes'];
/** Few values, so that a change back to an earlier value happens. */
const VALUES = ['a', 'b', 'c', 'd'];

const actions: readonly Action[] = [
  [
    10,
    'changes a Secret',
    ({ scene, random }) => scene.secret(random.pick(SECRETS), { value: random.pick(VALUES) }),
  ],
  [
    10,
    'changes a ConfigMap',
    ({ scene, random }) => scene.configMap(random.pick(CONFIG_MAPS), { value: random.pick(VALUES) }),
  ],
  [
    2,
    'labels a Secret, which is no change',
    ({ scene, random }) =>
      scene.merge(scene.ref('Secret', random.pick(SECRETS)), {
        metadata: { labels: { tick: random.pick(VALUES) } },
      }),
  ],
  [2, 'deletes a ConfigMap', ({ scene, random }) => scene.remove('ConfigMap', random.pick(CONFIG_MAPS))],
  [
    3,
    'releases another image',
    ({ scene, random, cast }) =>
      scene.image(random.pick(cast.workloads), `registry.test/app:${1 + random.int(3)}`),
  ],
  [
    2,
    'scales',
    ({ scene, random, cast }) => {
      const scalable = cast.workloads.filter(({ kind }) => kind !== 'DaemonSet');
      return scene.merge(random.pick(scalable), { spec: { replicas: random.int(4) } });
    },
  ],
  [
    2,
    'strips a ledger',
    ({ scene, random, cast }) =>
      scene.merge(random.pick(cast.workloads), { metadata: { annotations: { [LEDGER]: null } } }),
  ],
  [
    1,
    'undoes a rollout',
    ({ storm, random, cast }) => storm.undo('Deployment', deploymentOf(cast, random).name),
  ],
  [
    1,
    'freezes the namespace, and lets go of it later',
    async ({ scene, storm, random }) => {
      const namespace = { kind: 'Namespace', namespace: '', name: scene.namespace };
      await scene.annotate(namespace, { freeze: 'true' });
      storm.clock.setTimeout(() => void scene.annotate(namespace, { freeze: null }), 1 + random.int(20_000));
    },
  ],
  [
    1,
    'takes the namespace out of scope, and back later',
    async ({ scene, storm, random }) => {
      const namespace = { kind: 'Namespace', namespace: '', name: scene.namespace };
      const label = (reload: string) => scene.merge(namespace, { metadata: { labels: { reload } } });
      await label('no');
      storm.clock.setTimeout(() => void label('yes'), 1 + random.int(20_000));
    },
  ],
  [
    2,
    'kills an operator',
    async ({ storm, random }) => {
      if (storm.alive.length > 0) storm.replaceOperator(random.pick(storm.alive));
    },
  ],
  [1, 'cuts every watch', async ({ storm }) => storm.cutWatches()],
  [
    1,
    'parts the operators from the server for a while',
    async ({ storm, random }) => {
      storm.parted = true;
      storm.cutWatches();
      storm.clock.setTimeout(() => {
        storm.parted = false;
      }, random.int(40_000));
    },
  ],
];

/** Actions on the notebook, in addition to the others. */
const ofNotes: readonly Action[] = [
  [2, 'deletes the notebook', ({ scene, storm }) => deleteNotes(scene.stage.client, storm.chronicle)],
  [
    2,
    'puts an old notebook back',
    ({ scene, storm, random }) =>
      restoreNotes(scene.stage.client, storm.chronicle, random.int(storm.revision) + 1),
  ],
  [
    4,
    'writes to the notebook, so that the next write of an operator is a conflict',
    async ({ scene, storm, random }) => {
      for (const ref of notesOf(storm.chronicle)) {
        const body = { metadata: { labels: { tick: random.pick(VALUES) } } };
        await scene.stage.client.patch(kinds.ConfigMap, ref, { type: 'merge', body });
      }
    },
  ],
];

/**
 * Runs a random action and returns its name. `notes`: includes actions on the notebook; older seeds were recorded
 * without these and without `further` actions.
 */
export async function actAtRandom(
  weather: Weather,
  notes: boolean,
  further: readonly Action[] = [],
): Promise<string> {
  const possible = [...actions, ...(notes ? ofNotes : []), ...further];
  let left = weather.random.int(possible.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, name, act] of possible) {
    left -= weight;
    if (left >= 0) continue;
    try {
      await act(weather);
    } catch (error) {
      // Nothing to delete, or no earlier revision to go back to.
      if (!(error instanceof NotFoundError) && !/revision/.test(String(error))) throw error;
    }
    return name;
  }
  return 'nothing';
}

function deploymentOf({ workloads }: Cast, random: Random): Ref {
  return random.pick(workloads.filter(({ kind }) => kind === 'Deployment'));
}
