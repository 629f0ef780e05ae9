/** Reloads by one PATCH: the exact result on the workload, and the conditions that make them fail. */
import type { kinds } from '@reloader/runtime';
import { expect, it } from 'vitest';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import { WORKLOAD_TYPES } from '../model/kinds.ts';
import type { ReloadPlan } from '../model/plan.ts';
import type { WorkloadKind } from '../model/workload.ts';
import { cause, SLOT } from './plan.test.support.ts';
import {
  ledger,
  NAMESPACE,
  never,
  podTemplate,
  replicated,
  type Stage,
  workshop,
} from './stage.test.support.ts';

interface Templated extends kinds.PlainObject {
  spec: {
    paused?: boolean;
    template: {
      metadata: { annotations?: Record<string, string> };
      spec: { containers: { name: string; env?: object[] }[] };
    };
  };
}

const variable = (value: string = SLOT) => ({ name: 'STAKATER_SETTINGS_CONFIGMAP', value });

export function templateCases(stage: () => Stage): void {
  const read = async (
    kind: WorkloadKind,
    name: string,
  ): Promise<Templated & { metadata: NonNullable<kinds.PlainObject['metadata']> }> =>
    (await workshop(stage()).read(WORKLOAD_TYPES[kind], name)) as never;

  const specs: [WorkloadKind, (app: string) => object][] = [
    ['Deployment', (app) => replicated(app, 1)],
    ['StatefulSet', (app) => ({ ...replicated(app, 1), serviceName: app })],
    ['DaemonSet', (app) => ({ selector: { matchLabels: { app } }, template: podTemplate(app) })],
    ['Rollout', (app) => replicated(app, 1)],
    ['DeploymentConfig', (app) => ({ ...replicated(app, 1), selector: { app } })],
  ];

  it.each(specs)('a bare %s gets its first variable, mark and ledger', async (kind, spec) => {
    const { create, plan, executor } = workshop(stage());
    const app = `bare-${kind.toLowerCase()}`;
    const { metadata } = await create(kind, app, spec(app));
    const wanted = await plan(kind, app);
    expect(wanted.ledgerBefore).toBeUndefined();
    expect(await executor.reload(wanted, never)).toEqual({ kind: 'done', changed: true });
    const { spec: after, metadata: written } = await read(kind, app);
    expect(after.template.spec.containers[0]?.env).toEqual([variable()]);
    expect(after.template.metadata.annotations).toEqual({ [FIXED_ANNOTATIONS.rolled]: wanted.mark });
    expect(written.annotations?.[FIXED_ANNOTATIONS.ledger]).toBe(ledger(metadata.uid, 1));
    expect(written.managedFields?.map(({ manager }) => manager)).toContain('Reloader');
  });

  it('variables are replaced, removed and appended among those of the user', async () => {
    const { create, plan, executor } = workshop(stage());
    const env = [{ name: 'USER', value: 'u' }, variable('old'), { name: 'STAKATER_GONE_SECRET', value: 'x' }];
    await create('Deployment', 'env', replicated('env', 1, [{ name: 'main', env }, { name: 'side' }]));
    const causes = [
      cause({ container: 'main' }),
      cause({ container: 'side', name: 'other', slot: 'a'.repeat(40) }),
      cause({
        container: 'main',
        slot: undefined,
        ref: { kind: 'Secret', namespace: NAMESPACE, name: 'gone' },
      }),
    ];
    const wanted = await plan('Deployment', 'env', { causes, configs: ['shop/rules'], now: 1893553445678 });
    expect(await executor.reload(wanted, never)).toEqual({ kind: 'done', changed: true });
    const { spec } = await read('Deployment', 'env');
    expect(spec.template.spec.containers.map((container) => container.env)).toEqual([
      [
        { name: 'USER', value: 'u' },
        variable(),
        { name: 'RELOADER_TRIGGERED_AT', value: '2030-01-02T03:04:05Z' },
      ],
      [{ name: 'STAKATER_OTHER_CONFIGMAP', value: 'a'.repeat(40) }],
    ]);
  });

  it("the annotations strategy writes Stakater's bytes", async () => {
    const { create, plan, executor } = workshop(stage());
    await create('Deployment', 'notes', replicated('notes', 1), { annotations: { mine: 'kept' } });
    const wanted = await plan('Deployment', 'notes', {
      reloadStrategy: 'annotations',
      configs: ['shop/rules'],
      now: 1893553445678,
    });
    expect(await executor.reload(wanted, never)).toEqual({ kind: 'done', changed: true });
    const { spec, metadata } = await read('Deployment', 'notes');
    expect(spec.template.metadata.annotations).toEqual({
      'reloader.stakater.com/last-reloaded-from': `{"type":"CONFIGMAP","name":"settings","namespace":"shop","hash":"${SLOT}","containerRefs":["main"],"observedAt":1893553445}`,
      'reloader.stakater.com/last-reload': '2030-01-02T03:04:05Z',
      'reloader.stakater.com/rolled': wanted.mark,
    });
    expect(spec.template.spec.containers[0]).not.toHaveProperty('env');
    expect(metadata.annotations).toMatchObject({ mine: 'kept' });
  });

  it('a variable that has the value already still makes a rollout, by the mark', async () => {
    const { create, plan, executor } = workshop(stage());
    const { metadata } = await create(
      'Deployment',
      'same',
      replicated('same', 1, [{ name: 'main', env: [variable()] }]),
    );
    await executor.reload(await plan('Deployment', 'same'), never);
    const after = await read('Deployment', 'same');
    expect(after.spec.template.spec.containers[0]?.env).toEqual([variable()]);
    expect(after.metadata.generation).toBeGreaterThan(metadata.generation ?? 0);
    expect(after.spec.template.metadata.annotations).toHaveProperty([FIXED_ANNOTATIONS.rolled]);
  });

  const outdated: [string, (plan: ReloadPlan) => ReloadPlan][] = [
    ['another uid', (plan) => withWorkload(plan, { metadata: { ...plan.workload.metadata, uid: 'other' } })],
    ['another ledger', (plan) => ({ ...plan, ledgerBefore: 'other' })],
    ['no ledger', (plan) => ({ ...plan, ledgerBefore: undefined })],
    [
      'no annotations',
      (plan) => withWorkload({ ...plan, ledgerBefore: undefined }, { hasAnnotations: false }),
    ],
    ['another container', (plan) => withContainer(plan, { name: 'sub', envCount: 2 })],
    ['no variables', (plan) => withContainer(plan, { name: 'main', envCount: 0 })],
    ['another order of variables', (plan) => withSlot(plan, 0)],
    ['more variables', (plan) => withSlot(plan, 5)],
    ['no annotations of the template', (plan) => withWorkload(plan, { hasTemplateAnnotations: false })],
    ['another name', (plan) => withWorkload(plan, { metadata: { ...plan.workload.metadata, name: 'gone' } })],
  ];

  it('a plan made from an outdated view changes nothing', async () => {
    const { create, plan, executor } = workshop(stage());
    const env = [{ name: 'USER', value: 'u' }, variable('old')];
    const spec = replicated('cas', 1, [{ name: 'main', env }]);
    const template = { ...spec.template, metadata: { ...spec.template.metadata, annotations: { a: '1' } } };
    await create(
      'Deployment',
      'cas',
      { ...spec, template },
      { annotations: { [FIXED_ANNOTATIONS.ledger]: 'now' } },
    );
    const wanted = await plan('Deployment', 'cas');
    const before = await read('Deployment', 'cas');
    for (const [what, twist] of outdated) {
      const outcome = await executor.reload(twist(wanted), never);
      expect({ what, kind: outcome.kind }).toEqual({ what, kind: 'conflict' });
    }
    const after = await read('Deployment', 'cas');
    expect({ ...after.spec, ...after.metadata.annotations }).toEqual({
      ...before.spec,
      ...before.metadata.annotations,
    });
    expect(await executor.reload(wanted, never)).toEqual({ kind: 'done', changed: true });
  });

  it('a status or scale written meanwhile is no conflict', async () => {
    const { create, plan, executor, client } = workshop(stage());
    await create('Deployment', 'busy', replicated('busy', 1));
    const wanted = await plan('Deployment', 'busy');
    await client.patch(
      WORKLOAD_TYPES.Deployment,
      { namespace: NAMESPACE, name: 'busy' },
      { type: 'merge', body: { spec: { replicas: 2 } } },
    );
    expect(await executor.reload(wanted, never)).toEqual({ kind: 'done', changed: true });
  });

  it('a patch that the server calls invalid is rejected', async () => {
    const { create, plan, executor } = workshop(stage());
    await create('Deployment', 'huge', replicated('huge', 1));
    const outcome = await executor.reload(
      await plan('Deployment', 'huge', { mark: 'x'.repeat(300_000) }),
      never,
    );
    expect(outcome.kind).toBe('rejected');
  });

  it('a pause the Stakater way begins with the reload, is not extended, and ends', async () => {
    const { create, plan, facts, executor } = workshop(stage());
    const period = { 'deployment.reloader.stakater.com/pause-period': '5m' };
    await create('Deployment', 'paused', replicated('paused', 1), { annotations: period });
    const pausing = { stakaterPauseMs: 300_000, now: 1893553445678 };
    await executor.reload(await plan('Deployment', 'paused', pausing), never);
    const begun = await facts('Deployment', 'paused');
    expect(begun.rollout.paused).toBe(true);
    expect(begun.annotations['deployment.reloader.stakater.com/paused-at']).toBe('2030-01-02T03:04:05Z');
    expect(executor.resumeAt(begun)).toBe(1893553445000 + 300_000);
    const second = await plan('Deployment', 'paused', {
      ...pausing,
      now: 1893553500000,
      mark: '{"n":2,"s":{}}',
    });
    expect(await executor.reload(second, never)).toMatchObject({ kind: 'done' });
    const later = await facts('Deployment', 'paused');
    expect(later.templateAnnotations[FIXED_ANNOTATIONS.rolled]).toBe('{"n":2,"s":{}}');
    expect(executor.resumeAt(later)).toBe(1893553445000 + 300_000);
    expect(await executor.resume(later, never)).toEqual({ kind: 'done', changed: true });
    expect((await executor.resume(later, never)).kind).toBe('conflict');
    const ended = await facts('Deployment', 'paused');
    expect(ended.rollout.paused).toBe(false);
    expect(ended.annotations).not.toHaveProperty(['deployment.reloader.stakater.com/paused-at']);
    expect(await executor.reload(await plan('Deployment', 'paused', pausing), never)).toMatchObject({
      kind: 'done',
    });
    expect((await facts('Deployment', 'paused')).rollout.paused).toBe(true);
  });

  it('a Deployment that a person paused stays as it is, but for the template', async () => {
    const { create, plan, facts, executor } = workshop(stage());
    await create('Deployment', 'held', { ...replicated('held', 1), paused: true });
    await executor.reload(await plan('Deployment', 'held', { stakaterPauseMs: 300_000 }), never);
    const after = await facts('Deployment', 'held');
    expect(after.templateAnnotations).toHaveProperty([FIXED_ANNOTATIONS.rolled]);
    expect(after.annotations).not.toHaveProperty(['deployment.reloader.stakater.com/paused-at']);
    expect(executor.resumeAt(after)).toBeUndefined();
  });

  it('an Argo Rollout restarts by its own field, its template untouched', async () => {
    const { create, plan, executor } = workshop(stage());
    await create('Rollout', 'argo-restart', replicated('argo-restart', 1));
    const before = await read('Rollout', 'argo-restart');
    const wanted = await plan('Rollout', 'argo-restart', { rolloutStrategy: 'restart', now: 1893553445678 });
    expect(await executor.reload(wanted, never)).toEqual({ kind: 'done', changed: true });
    const after = await read('Rollout', 'argo-restart');
    expect(after.spec).toEqual({ ...before.spec, restartAt: '2030-01-02T03:04:05Z' });
    expect(after.metadata.annotations).toHaveProperty([FIXED_ANNOTATIONS.ledger]);
  });

  it('an Argo Rollout that borrows its template has it changed there, once, and is not touched', async () => {
    const { create, plan, executor } = workshop(stage());
    await create('Deployment', 'lender', replicated('lender', 0));
    await create('Rollout', 'borrower', {
      replicas: 1,
      workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'lender' },
    });
    const wanted = await plan('Rollout', 'borrower');
    expect(await executor.reload(wanted, never)).toEqual({ kind: 'done', changed: true, noteOnly: true });
    const { spec, metadata } = await read('Deployment', 'lender');
    expect(spec.template.spec.containers[0]?.env).toEqual([variable()]);
    expect(metadata.annotations ?? {}).not.toHaveProperty([FIXED_ANNOTATIONS.ledger]);
    const { annotations } = (await read('Rollout', 'borrower')).metadata;
    expect(annotations ?? {}).toEqual({});
    // After a crash before the note, the retry finds the first attempt done.
    const retry = await plan('Rollout', 'borrower', { ledgerAfter: 'again', configs: ['shop/rules'] });
    await executor.reload(retry, never);
    expect((await read('Deployment', 'lender')).metadata.generation).toBe(metadata.generation);
  });
}

function withWorkload(plan: ReloadPlan, change: Partial<ReloadPlan['workload']>): ReloadPlan {
  return { ...plan, workload: { ...plan.workload, ...change } };
}

function withContainer(plan: ReloadPlan, container: { name: string; envCount: number }): ReloadPlan {
  const causes = [cause({ container: container.name })];
  return withWorkload({ ...plan, causes }, { containers: [container], slots: [] });
}

function withSlot(plan: ReloadPlan, envIndex: number): ReloadPlan {
  return withWorkload(plan, { slots: plan.workload.slots.map((slot) => ({ ...slot, envIndex })) });
}
