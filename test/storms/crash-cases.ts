/** The scenarios in which the operator is killed: a small one for each way in which a workload is reloaded. */
import { kinds } from '@reloader/runtime';
import { RESTORING } from '../reloader/rbac.ts';
import type { Allowance, Scene } from '../reloader/scene.ts';
import type { Permissions } from '../reloader/stage.ts';

export interface CrashCase {
  readonly name: string;
  readonly args: readonly string[];
  readonly permissions?: Permissions;
  readonly allow?: Allowance;
  /** Before the operator starts. */
  prepare(scene: Scene): Promise<void>;
  /** Actions of the user after that. */
  play(scene: Scene): Promise<void>;
  /** The number of changes of each template, and of other counted things. */
  readonly expected: Readonly<Record<string, number>>;
}

const auto = { auto: 'true' };
/** Long enough for any backoff after a crash, and for the rollout. */
const REST_MS = 40_000;

const change = async (s: Scene, value: string): Promise<void> => {
  await s.secret('db', { password: value });
  await s.stage.quiet(REST_MS);
};

/** Pods crash while the ConfigMap is bad; long enough until the failure and the outcome of the undo are known. */
const VERIFIED_MS = 120_000;

async function breakingWorkload(
  s: Scene,
  kind: string,
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  const when = { kind: 'ConfigMap', name: 'settings', key: 'mode', value: 'bad' };
  await s.configMap('settings', { mode: 'good' });
  await s.workload(kind, 'web', {
    annotations: { ...auto, verify: 'true', ...annotations },
    uses: [{ configMap: 'settings' }],
    replicas: 3,
    templateAnnotations: { 'minicluster.dev/behaviour': JSON.stringify({ fault: 'crash', when }) },
  });
}

async function thereAndBack(s: Scene): Promise<void> {
  for (const mode of ['bad', 'good']) {
    await s.configMap('settings', { mode });
    await s.stage.quiet(VERIFIED_MS);
  }
}

const restore = { 'on-failure': 'restore' };
const RESTORES = { args: ['--restore-config-maps'], permissions: RESTORING, allow: { restores: true } };

export const crashCases: readonly CrashCase[] = [
  {
    name: 'env-vars',
    args: [],
    prepare: async (s) => {
      await s.configMap('settings', { mode: 'slow' });
      await s.secret('db', { password: 'one' });
      await s.deployment('web', { annotations: auto, uses: [{ secret: 'db' }, { configMap: 'settings' }] });
    },
    play: async (s) => {
      await change(s, 'two');
      await s.configMap('settings', { mode: 'fast' });
      await s.stage.quiet(REST_MS);
    },
    expected: { 'Deployment/web': 2 },
  },
  {
    name: 'annotations, of a ReloaderConfig',
    args: ['--reload-strategy=annotations'],
    prepare: async (s) => {
      await s.secret('db', { password: 'one' });
      await s.workload('StatefulSet', 'store', { uses: [{ secret: 'db' }] });
      await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'StatefulSet', name: 'store' }],
      });
    },
    play: (s) => change(s, 'two'),
    expected: { 'StatefulSet/store': 1, 'ReloaderConfig/config': 1 },
  },
  {
    name: 'restart by eviction',
    args: [],
    prepare: async (s) => {
      await s.secret('db', { password: 'one' });
      await s.deployment('web', {
        annotations: { ...auto, 'rollout-strategy': 'restart' },
        uses: [{ secret: 'db' }],
        replicas: 3,
      });
      await s.stage.client.create(kinds.PodDisruptionBudget, {
        metadata: { name: 'web', namespace: s.namespace },
        spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
      });
    },
    play: async (s) => {
      await change(s, 'two');
      await s.stage.quiet(REST_MS);
    },
    expected: { 'Deployment/web': 0, evictions: 3 },
  },
  {
    name: "Stakater's pause",
    args: [],
    prepare: async (s) => {
      await s.secret('db', { password: 'one' });
      await s.deployment('web', {
        annotations: { ...auto, 'deployment/pause-period': '2m' },
        uses: [{ secret: 'db' }],
      });
    },
    play: async (s) => {
      await change(s, 'two');
      await change(s, 'three');
      await s.stage.quiet(300_000);
    },
    expected: { 'Deployment/web': 2 },
  },
  {
    name: 'a pause of the operator',
    args: [],
    prepare: async (s) => {
      await s.secret('db', { password: 'one' });
      await s.workload('DaemonSet', 'agent', { uses: [{ secret: 'db' }] });
      await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'DaemonSet', name: 'agent', pausePeriod: '3m' }],
      });
    },
    play: async (s) => {
      await change(s, 'two');
      await change(s, 'three');
      await s.stage.quiet(200_000);
    },
    expected: { 'DaemonSet/agent': 2, 'ReloaderConfig/config': 2 },
  },
  {
    name: 'the undo of a Deployment',
    args: [],
    prepare: (s) => breakingWorkload(s, 'Deployment'),
    play: thereAndBack,
    expected: { 'Deployment/web': 2 },
  },
  {
    name: 'the undo of a StatefulSet',
    args: [],
    prepare: (s) => breakingWorkload(s, 'StatefulSet'),
    play: thereAndBack,
    expected: { 'StatefulSet/web': 2, evictions: 1 },
  },
  {
    name: 'the restore of a ConfigMap',
    ...RESTORES,
    prepare: (s) => breakingWorkload(s, 'Deployment', restore),
    play: async (s) => {
      await s.configMap('settings', { mode: 'bad' });
      await s.stage.quiet(2 * VERIFIED_MS);
    },
    expected: { 'Deployment/web': 2, 'contents of settings': 2 },
  },
  {
    name: 'a restore that somebody fights',
    ...RESTORES,
    prepare: (s) => breakingWorkload(s, 'Deployment', restore),
    play: async (s) => {
      for (const mode of ['bad', 'bad', 'better']) {
        await s.configMap('settings', { mode });
        await s.stage.quiet(2 * VERIFIED_MS);
      }
    },
    // The content fails, is restored and undone, is written again and held; newer content is rolled out.
    expected: { 'Deployment/web': 3, 'contents of settings': 4 },
  },
  {
    name: 'a run of a CronJob',
    args: [],
    prepare: async (s) => {
      await s.secret('db', { password: 'one' });
      await s.workload('CronJob', 'nightly', { annotations: auto, uses: [{ secret: 'db' }] });
    },
    play: async (s) => {
      await change(s, 'two');
      await change(s, 'three');
    },
    expected: { 'CronJob/nightly': 0, 'runs of nightly': 2 },
  },
  {
    name: 'a Job that is made anew',
    args: [],
    prepare: async (s) => {
      await s.secret('db', { password: 'one' });
      await s.workload('Job', 'once', { annotations: auto, uses: [{ secret: 'db' }] });
    },
    play: (s) => change(s, 'two'),
    expected: { 'Job/once': 1 },
  },
];
