/**
 * Random histories of workloads: a creation and then updates, each of which changes a few settings.
 *
 * In: a seed. Out: for each workload its successive specs, as a user would write them (without defaults). The same seed
 * gives the same plan. Every spec is valid; its rollout may still get stuck, because some images never become ready.
 */
import { isDeepStrictEqual } from 'node:util';
import { BEHAVIOUR_ANNOTATION } from '@reloader/minicluster';
import { createRandom, type Random } from '@reloader/runtime/testing';
import { behaviourAnnotation, behaviours } from '../control-plane/stages.ts';

export type WorkloadKind = 'Deployment' | 'StatefulSet' | 'DaemonSet';
export const KINDS: readonly WorkloadKind[] = ['Deployment', 'StatefulSet', 'DaemonSet'];

export interface Step {
  readonly spec: Readonly<Record<string, unknown>>;
  /** The changed settings, in words. */
  readonly changed: string;
  /** Instead of an update: a user deletes the pod with this ordinal, if there is one. */
  readonly deletedOrdinal?: number;
}

export interface Workload {
  readonly kind: WorkloadKind;
  /** Also the value of its `app` label. */
  readonly name: string;
  /** The first step creates it. */
  readonly steps: readonly Step[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly workloads: number;
  /** Steps after the creation. */
  readonly steps: number;
}

export function planOf({ seed, workloads, steps }: PlanOptions): Workload[] {
  const random = createRandom(seed);
  return Array.from({ length: workloads }, (_, index) => {
    const kind = KINDS[index % KINDS.length] as WorkloadKind;
    const name = `${kind.toLowerCase()}-${index}`;
    return { kind, name, steps: stepsOf(kind, name, steps, random) };
  });
}

interface Dials {
  image: number;
  newestImage: number;
  env: number;
  replicas: number;
  strategy: object;
  paused: boolean;
  minReadySeconds: number;
  revisionHistoryLimit: number;
  progressDeadlineSeconds: number;
  /** Fixed from the start. */
  readonly podManagementPolicy: string;
  readonly firstOrdinal: number;
}

type Turn = readonly [name: string, weight: number, turn: (dials: Dials, random: Random) => void];

/** The largest number that the API accepts means no deadline. */
const NO_DEADLINE = 2 ** 31 - 1;

const BROKEN = 4;
/** Every fourth image never becomes ready. */
export const isBroken = (image: number): boolean => image % BROKEN === 0;

const COMMON: readonly Turn[] = [
  [
    'image',
    4,
    (dials) => {
      dials.newestImage += 1;
      dials.image = dials.newestImage;
    },
  ],
  [
    'image back',
    2,
    (dials, random) => {
      dials.image = 1 + random.int(dials.newestImage);
    },
  ],
  [
    'env',
    1,
    (dials, random) => {
      dials.env = random.int(3);
    },
  ],
  [
    'minReadySeconds',
    1,
    (dials, random) => {
      dials.minReadySeconds = random.pick([0, 0, 1]);
    },
  ],
  [
    'revisionHistoryLimit',
    1,
    (dials, random) => {
      dials.revisionHistoryLimit = random.int(4);
    },
  ],
  [
    'strategy',
    2,
    () => {
      // Each kind has its own strategies; see `strategyOf`.
    },
  ],
];

const REPLICAS: Turn = [
  'replicas',
  3,
  (dials, random) => {
    dials.replicas = random.int(7);
  },
];

const TURNS: Readonly<Record<WorkloadKind, readonly Turn[]>> = {
  Deployment: [
    ...COMMON,
    REPLICAS,
    [
      'paused',
      2,
      (dials) => {
        dials.paused = !dials.paused;
      },
    ],
    [
      'progressDeadlineSeconds',
      1,
      (dials, random) => {
        dials.progressDeadlineSeconds = random.pick([600, 4, NO_DEADLINE]);
      },
    ],
  ],
  StatefulSet: [...COMMON, REPLICAS],
  DaemonSet: COMMON,
};

function stepsOf(kind: WorkloadKind, app: string, count: number, random: Random): Step[] {
  const dials: Dials = {
    image: 1,
    newestImage: 1,
    env: 0,
    replicas: 1 + random.int(5),
    strategy: strategyOf(kind, random),
    paused: false,
    minReadySeconds: 0,
    revisionHistoryLimit: 2,
    progressDeadlineSeconds: 600,
    podManagementPolicy: random.pick(['OrderedReady', 'OrderedReady', 'Parallel']),
    firstOrdinal: random.pick([0, 0, 2]),
  };
  const steps: Step[] = [{ spec: specOf(kind, app, dials), changed: 'created' }];
  for (let step = 1; step <= count; step++) {
    // Not together with an update: it would be random which of the two the controller sees first.
    if (kind === 'StatefulSet' && random.chance(0.15)) {
      const deletedOrdinal = dials.firstOrdinal + random.int(5);
      steps.push({
        spec: specOf(kind, app, dials),
        changed: `deleted pod ${deletedOrdinal}`,
        deletedOrdinal,
      });
      continue;
    }
    const turns = Array.from({ length: 1 + random.int(3) }, () => weighted(TURNS[kind], random));
    for (const [name, , turn] of turns) {
      turn(dials, random);
      if (name === 'strategy') dials.strategy = strategyOf(kind, random);
    }
    steps.push({ spec: specOf(kind, app, dials), changed: turns.map(([name]) => name).join(', ') });
  }
  return steps;
}

/** The number of steps that change something: a few set a value back. */
export function updatesIn(steps: readonly Step[]): number {
  return steps.filter(({ spec }, index) => index > 0 && !isDeepStrictEqual(spec, steps[index - 1]?.spec))
    .length;
}

function weighted(turns: readonly Turn[], random: Random): Turn {
  let left = random.int(turns.reduce((sum, [, weight]) => sum + weight, 0));
  for (const turn of turns) {
    left -= turn[1];
    if (left < 0) return turn;
  }
  throw new RangeError('There is nothing to turn');
}

function strategyOf(kind: WorkloadKind, random: Random): object {
  switch (kind) {
    case 'Deployment': {
      if (random.chance(0.2)) return { type: 'Recreate' };
      const maxSurge = random.pick([0, 1, 2, '25%', '50%', '100%']);
      const maxUnavailable = random.pick([1, 2, '25%', '34%', ...(maxSurge === 0 ? [] : [0])]);
      return { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
    }
    case 'StatefulSet':
      if (random.chance(0.2)) return { type: 'OnDelete' };
      return { type: 'RollingUpdate', rollingUpdate: { partition: random.pick([0, 0, 0, 1, 2, 4]) } };
    case 'DaemonSet': {
      if (random.chance(0.2)) return { type: 'OnDelete' };
      const bySurge = random.chance(0.4);
      const amount = random.pick([1, 2, 3, '25%', '60%']);
      const rollingUpdate = bySurge
        ? { maxSurge: amount, maxUnavailable: 0 }
        : { maxSurge: 0, maxUnavailable: amount };
      return { type: 'RollingUpdate', rollingUpdate };
    }
  }
}

function specOf(kind: WorkloadKind, app: string, dials: Dials): Record<string, unknown> {
  const { replicas, strategy, paused, progressDeadlineSeconds, podManagementPolicy, firstOrdinal } = dials;
  const { minReadySeconds, revisionHistoryLimit } = dials;
  const common = {
    selector: { matchLabels: { app } },
    template: templateOf(app, dials),
    minReadySeconds,
    revisionHistoryLimit,
  };
  switch (kind) {
    case 'Deployment':
      return { ...common, replicas, strategy, paused, progressDeadlineSeconds };
    case 'StatefulSet':
      return {
        ...common,
        replicas,
        updateStrategy: strategy,
        podManagementPolicy,
        serviceName: app,
        ordinals: { start: firstOrdinal },
      };
    case 'DaemonSet':
      return { ...common, updateStrategy: strategy };
  }
}

function templateOf(app: string, { image, env }: Dials): object {
  const broken = {
    [behaviourAnnotation]: behaviours.neverReady,
    [BEHAVIOUR_ANNOTATION]: JSON.stringify({ fault: 'never-ready' }),
  };
  return {
    metadata: { labels: { app }, ...(isBroken(image) && { annotations: broken }) },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: `app:${image}`, env: [{ name: 'SETTING', value: String(env) }] }],
    },
  };
}
