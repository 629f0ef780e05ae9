/** Rows 22 and 23, freezes, limits and observe mode: a deferred reload is not dropped. */
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { LAST_RELOADED_FROM, PAUSED_AT } from '../names.ts';
import { scenario } from '../scenario.ts';
import { annotationsOf, type Scene } from '../scene.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }] as const;
const MINUTES = 60_000;

const change = (s: Scene, value: string): Promise<void> => s.secret('db', { password: value });

/** Waits until the pause has ended and the deferred change is rolled out. */
async function held(s: Scene, ref: Ref, before: number): Promise<void> {
  expect(s.rollouts(ref)).toBe(before);
  await s.stage.until('the held change to be rolled out', () => s.rollouts(ref) > before, 11 * MINUTES);
  await s.rolled([ref, before + 1]);
}

export const deferral = [
  scenario('row 22: pausePeriod: the first change now, later ones together when it ends', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', { uses });
    const config = await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [{ kind: 'Deployment', name: 'web', pausePeriod: s.stage.span('5m', '10s') }],
    });
    await s.operator();
    await s.adopted(web);
    await change(s, 'two');
    await s.stage.until('the first reload', () => s.rollouts(web) === 1);
    await change(s, 'three');
    await s.stage.until(
      'the pause to be told',
      () => s.status(config).targetStatus?.[0]?.pausedUntil !== undefined,
    );
    await change(s, 'four');
    await s.stage.quiet(10_000);
    expect(s.live(web).spec?.paused ?? false, 'nothing is paused').toBe(false);
    await held(s, web, 1);
  }),

  scenario('row 22: of two configs the one that watches the change decides how and when', async (s) => {
    await s.secret('first', { password: 'one' });
    await s.secret('second', { password: 'one' });
    const web = await s.deployment('web', { uses: [{ secret: 'first' }, { secret: 'second' }] });
    const targets = [{ kind: 'Deployment', name: 'web' }];
    await s.config('one', {
      watchedResources: { secrets: ['first'] },
      reloadStrategy: 'env-vars',
      pausePeriod: s.stage.span('10m', '12s'),
      targets,
    });
    const two = await s.config('two', {
      watchedResources: { secrets: ['second'] },
      reloadStrategy: 'annotations',
      targets,
    });
    await s.operator();
    await s.adopted(web);
    await s.secret('second', { password: 'two' });
    await s.rolled([web, 1]);
    await s.secret('second', { password: 'three' });
    await s.rolled([web, 2]);
    expect(s.template(web).metadata?.annotations, 'the strategy of two').toHaveProperty([LAST_RELOADED_FROM]);
    expect(s.status(two).targetStatus?.[0]?.pausedUntil, 'the pause of one').toBeUndefined();
    await s.secret('first', { password: 'two' });
    await s.stage.quiet();
    await held(s, web, 2);
  }),

  scenario('row 22: a pause survives the death of the operator', async (s) => {
    await change(s, 'one');
    const web = await s.workload('StatefulSet', 'web', {
      annotations: { ...auto, 'statefulset/pause-period': s.stage.span('10m', '12s') },
      uses,
    });
    const first = await s.operator();
    await s.adopted(web);
    await change(s, 'two');
    await s.stage.until('the first reload', () => s.rollouts(web) === 1);
    await s.running(web);
    await change(s, 'three');
    await s.stage.quiet();
    await first.kill();
    await s.operator();
    await held(s, web, 1);
  }),

  scenario(
    'row 22: without a change the end of a pause reloads nothing, nor does a change back',
    async (s) => {
      await change(s, 'one');
      const web = await s.workload('DaemonSet', 'web', {
        annotations: { ...auto, 'daemonset/pause-period': s.stage.span('5m', '8s') },
        uses,
      });
      await s.operator();
      await s.adopted(web);
      await change(s, 'two');
      await s.stage.until('the first reload', () => s.rollouts(web) === 1);
      await change(s, 'three');
      await change(s, 'two');
      await s.stage.quiet(10 * MINUTES, 10_000);
      await s.rolled([web, 1]);
    },
  ),

  scenario(
    "row 22: a Deployment's pause-period annotation pauses it as Stakater does, and it is always resumed",
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', {
        annotations: { ...auto, 'deployment/pause-period': s.stage.span('5m', '10s') },
        uses,
      });
      const first = await s.operator();
      await s.adopted(web);
      await change(s, 'two');
      await s.stage.until('the pause', () => s.live(web).spec?.paused === true);
      expect(annotationsOf(s.live(web))[PAUSED_AT]).toMatch(/^\d{4}-\d\d-\d\dT/);
      await change(s, 'three');
      await s.stage.quiet(5_000);
      await first.kill();
      await s.operator();
      await s.stage.until('the resumption', () => s.live(web).spec?.paused !== true, 11 * MINUTES);
      await s.stage.quiet();
      expect(annotationsOf(s.live(web))).not.toHaveProperty([PAUSED_AT]);
      const sets = s.stage.chronicle.all('ReplicaSet', s.namespace);
      expect(sets, 'one rollout carries both changes').toHaveLength(2);
    },
  ),

  scenario('row 22: a Deployment that a human paused is left paused', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', {
      annotations: { ...auto, 'deployment/pause-period': s.stage.span('5m', '2s') },
      uses,
    });
    await s.operator();
    await s.adopted(web);
    await s.merge(web, { spec: { paused: true } });
    await change(s, 'two');
    await s.stage.until('the record', () => s.record(web)?.seq === 1);
    await s.stage.quiet(6 * MINUTES, 4_000);
    expect(s.live(web).spec?.paused).toBe(true);
    expect(annotationsOf(s.live(web))).not.toHaveProperty([PAUSED_AT]);
  }),

  scenario('row 23: changes in quick succession make one rollout', async (s) => {
    await change(s, 'one');
    await s.configMap('settings', { mode: 'slow' });
    const web = await s.deployment('web', { annotations: auto, uses: [...uses, { configMap: 'settings' }] });
    await s.operator({ args: s.isVirtual ? [] : ['--settle=3s', '--settle-max=20s'] });
    await s.adopted(web);
    for (const value of ['two', 'three', 'four', 'five']) await change(s, value);
    await s.configMap('settings', { mode: 'fast' });
    await s.rolled([web, 1]);
  }),

  scenario('row 23: a batch window collects, by flag, annotation or config', async (s) => {
    await change(s, 'one');
    const annotated = await s.deployment('annotated', {
      annotations: { ...auto, 'batch-window': s.stage.span('10m', '15s') },
      uses,
    });
    const target = await s.deployment('target', { uses });
    const plain = await s.deployment('plain', { annotations: auto, uses });
    await s.config('config', {
      watchedResources: { secrets: ['db'] },
      batchWindow: s.stage.span('10m', '15s'),
      targets: [{ kind: 'Deployment', name: 'target' }],
    });
    await s.operator();
    await s.adopted(annotated, target, plain);
    await change(s, 'two');
    await s.rolled([annotated, 0], [target, 0], [plain, 1]);
    await change(s, 'three');
    await s.rolled([annotated, 0], [target, 0], [plain, 2]);
    await s.stage.until(
      'the windows to end',
      () => s.rollouts(annotated) + s.rollouts(target) === 2,
      11 * MINUTES,
    );
    await s.rolled([annotated, 1], [target, 1], [plain, 2]);
  }),

  scenario('row 23: a source that never rests is rolled out after settle-max', async (s) => {
    await change(s, 'value 0');
    const web = await s.deployment('web', { annotations: auto, uses });
    await s.operator({ args: s.isVirtual ? [] : ['--settle=2s', '--settle-max=4s'] });
    await s.adopted(web);
    for (let step = 1; step <= 40 && s.rollouts(web) === 0; step++) {
      await change(s, `value ${step}`);
      await s.stage.quiet(500, 200);
    }
    expect(s.rollouts(web)).toBe(1);
    await s.stage.quiet(undefined, 6_000);
    expect(s.rollouts(web)).toBeLessThanOrEqual(2);
  }),

  scenario('row 23: settling is set by annotation and by config, and 0s is at once', async (s) => {
    await change(s, 'one');
    const long = s.stage.span('9s', '8s');
    const patient = await s.deployment('patient', { annotations: { ...auto, settle: long }, uses });
    const target = await s.deployment('target', { uses });
    const eager = await s.deployment('eager', { annotations: { ...auto, settle: '0s' }, uses });
    await s.config('config', {
      watchedResources: { secrets: ['db'] },
      settle: long,
      targets: [{ kind: 'Deployment', name: 'target' }],
    });
    await s.operator({ args: ['--settle-max=1m'] });
    await s.adopted(patient, target, eager);
    await change(s, 'two');
    await s.stage.quiet(500, 600);
    expect([patient, target, eager].map((ref) => s.rollouts(ref))).toEqual([0, 0, 1]);
    await s.rolled([patient, 1], [target, 1], [eager, 1]);
  }),

  scenario('defaults: annotations of a Namespace count only with --namespace-defaults', async (s) => {
    await s.annotate({ kind: 'Namespace', namespace: '', name: s.namespace }, auto);
    await change(s, 'one');
    const web = await s.deployment('web', { uses });
    const out = await s.deployment('out', { annotations: { auto: 'false' }, uses });
    const first = await s.operator();
    await s.stage.quiet();
    await change(s, 'two');
    await s.rolled([web, 0], [out, 0]);
    await first.stop();
    await s.operator({ args: ['--namespace-defaults'] });
    await s.adopted(web);
    await change(s, 'three');
    await s.rolled([web, 1], [out, 0]);
  }),

  scenario(
    'deferral: freeze holds a workload, a namespace or the cluster at once, and is no loss',
    async (s) => {
      await change(s, 'one');
      const frozen = await s.deployment('frozen', { annotations: { ...auto, freeze: 'true' }, uses });
      const web = await s.deployment('web', { annotations: auto, uses });
      const operator = await s.operator();
      await s.adopted(frozen, web);
      await change(s, 'two');
      await s.rolled([frozen, 0], [web, 1]);
      await s.annotate(frozen, { freeze: null });
      await s.rolled([frozen, 1], [web, 1]);
      const namespace = { kind: 'Namespace', namespace: '', name: s.namespace };
      await s.annotate(namespace, { freeze: 'true' });
      await s.stage.quiet();
      await change(s, 'three');
      await s.rolled([frozen, 1], [web, 1]);
      await s.annotate(namespace, { freeze: null });
      await s.rolled([frozen, 2], [web, 2]);
      const home = { kind: 'Namespace', namespace: '', name: operator.namespace };
      await s.annotate(home, { freeze: 'true' });
      await s.stage.quiet();
      await change(s, 'four');
      await s.rolled([frozen, 2], [web, 2]);
      await s.annotate(home, { freeze: null });
      await s.rolled([frozen, 3], [web, 3]);
    },
  ),

  scenario('deferral: --max-unfinished-rollouts lets one rollout end before the next begins', async (s) => {
    await change(s, 'one');
    const names = ['a', 'b', 'c', 'd'];
    const refs = await Promise.all(
      names.map((name) => s.deployment(name, { annotations: auto, uses, replicas: 2 })),
    );
    await s.operator({ args: ['--max-unfinished-rollouts=1'] });
    await s.adopted(...refs);
    await change(s, 'two');
    await s.rolled(...refs.map((ref) => [ref, 1] as const));
    for (const ref of refs) await s.running(ref);
    const began = refs.map((ref) => {
      const version = s.stage.chronicle
        .of(ref)
        .find(({ object }) => annotationsOf(object)['reloader.stakater.com/ledger']?.includes('"seq":1'));
      const done = s.stage.chronicle.of(ref).find(({ revision, object }) => {
        const status = object.status as Record<string, number> | undefined;
        const current = status?.observedGeneration === object.metadata.generation;
        return (
          revision > (version?.revision ?? 0) &&
          current &&
          status?.updatedReplicas === 2 &&
          status.availableReplicas === 2 &&
          status.replicas === 2
        );
      });
      return { begin: version?.revision ?? 0, end: done?.revision ?? 0 };
    });
    const ordered = began.toSorted((one, other) => one.begin - other.begin);
    for (const [index, { begin }] of ordered.entries()) {
      const before = ordered[index - 1];
      if (before) expect(begin, JSON.stringify(ordered)).toBeGreaterThan(before.end);
    }
  }),

  scenario('deferral: observe mode decides and reports, and writes nothing to workloads', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', { annotations: auto, uses });
    const operator = await s.operator({ args: ['--mode=observe'] });
    await s.stage.quiet();
    await change(s, 'two');
    await s.stage.until('the decision to be told', () => s.said('would') || s.events(web).length > 0);
    await s.rolled([web, 0]);
    expect(s.record(web)).toBeUndefined();
    const writes = (await s.stage.requests()).filter(
      ({ user, verb, resource }) => user === operator.user && verb === 'patch' && resource === 'deployments',
    );
    expect(writes).toEqual([]);
  }),

  scenario('key level: only keys that the workload uses count', async (s) => {
    await s.configMap('settings', { used: '1', unused: '1' });
    const precise = await s.deployment('precise', {
      annotations: { ...auto, keys: 'used' },
      uses: [{ configMap: 'settings', via: 'env', key: 'used' }],
    });
    const whole = await s.deployment('whole', {
      annotations: auto,
      uses: [{ configMap: 'settings', via: 'env', key: 'used' }],
    });
    const first = await s.operator();
    await s.adopted(precise, whole);
    await s.configMap('settings', { used: '1', unused: '2' });
    await s.rolled([precise, 0], [whole, 1]);
    await s.configMap('settings', { used: '2', unused: '2' });
    await s.rolled([precise, 1], [whole, 2]);
    await first.stop();
    await s.operator({ args: ['--key-level'] });
    await s.rolled([precise, 1], [whole, 2]);
    await s.configMap('settings', { used: '2', unused: '3' });
    await s.rolled([precise, 1], [whole, 2]);
  }),
];
