/** Rules 1 to 5 of the ledger: other writers of the same workload. Each scenario fails without its rule. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { LEDGER, ROLLED } from '../names.ts';
import { deleteNotes } from '../notes-acts.ts';
import { type Manifest, workload } from '../objects.ts';
import { scenario } from '../scenario.ts';
import { annotationsOf, type Scene } from '../scene.ts';
import { adoptedWeb, auto, change, uses } from './adopted-web.ts';

/** As a Git repository holds it: without fields that the operator or the server wrote. */
function manifestOf(s: Scene, name: string, image = 'registry.test/app:1'): Manifest {
  const manifest = workload('Deployment', name, s.namespace, { annotations: auto, uses });
  const { template } = manifest.spec as { template: { spec: { containers: { image: string }[] } } };
  for (const container of template.spec.containers) container.image = image;
  return manifest;
}

/** New pods count as available only after a while, and old ones stay as long, so the rollout is slow. */
function slowRollout(s: Scene): object {
  return {
    minReadySeconds: s.isVirtual ? 60 : 10,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  };
}

async function oldPodsCount(s: Scene, ref: Ref): Promise<void> {
  const available = (): unknown => (s.live(ref).status as { availableReplicas?: number }).availableReplicas;
  await s.stage.until('pods that count', () => available() === 2, 120_000);
}

export const ledgerRules = [
  scenario(
    'rule 1: writers who touch other fields at the same time are no conflict, and nothing of theirs is lost',
    async (s) => {
      const web = await adoptedWeb(s, 2);
      await change(s, 'two');
      for (let step = 0; step < 5; step++) {
        await s.merge(web, {
          spec: { replicas: 2 + (step % 2) },
          metadata: { labels: { step: String(step) } },
        });
        await s.stage.quiet(300, 100);
      }
      await s.rolled([web, 1]);
      expect(s.live(web).metadata.labels).toEqual({ step: '4' });
      expect(s.live(web).spec?.replicas).toBe(2);
    },
  ),

  scenario(
    'rule 1: a container that is inserted at the same time does not get our variable by mistake',
    async (s) => {
      const web = await adoptedWeb(s);
      await change(s, 'two');
      await s.stage.until('the reload', () => s.rollouts(web) === 1);
      const operations = [
        {
          op: 'add' as const,
          path: '/spec/template/spec/containers/0',
          value: { name: 'proxy', image: 'registry.test/proxy:1' },
        },
      ];
      await s.stage.client.patch(
        kinds.Deployment,
        web,
        { type: 'json', operations },
        { fieldManager: 'user' },
      );
      await s.stage.quiet();
      await change(s, 'three');
      await s.rolled([web, 3]);
      const [proxy, main] = s.template(web).spec?.containers ?? [];
      expect([proxy?.name, proxy?.env ?? []]).toEqual(['proxy', []]);
      expect(main?.env?.filter(({ name }) => name === 'STAKATER_DB_SECRET')).toHaveLength(1);
    },
  ),

  scenario('rule 2: a workload made from the YAML of another has no ledger', async (s) => {
    const web = await adoptedWeb(s);
    await change(s, 'two');
    await s.rolled([web, 1]);
    const { metadata, spec } = s.live(web);
    await change(s, 'three');
    await s.rolled([web, 2]);
    const copy = await s.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'copy', namespace: s.namespace, annotations: { ...metadata.annotations } },
      spec: {
        ...spec,
        selector: { matchLabels: { app: 'copy' } },
        template: relabelled(spec?.template, 'copy'),
      },
    });
    await s.stage.until('a ledger of its own', () => s.record(copy)?.uid === s.live(copy).metadata.uid);
    await s.rolled([copy, 0], [web, 2]);
  }),

  scenario('rule 2: rollout undo is not undone', async (s) => {
    const web = await adoptedWeb(s);
    await change(s, 'two');
    await s.rolled([web, 1]);
    await change(s, 'three');
    await s.rolled([web, 2]);
    await s.running(web);
    await s.stage.undo('Deployment', 'web');
    await s.rolled([web, 3]);
    expect(s.record(web)?.seq, 'recorded with its true number').toBeGreaterThanOrEqual(2);
    await change(s, 'four');
    await s.rolled([web, 4]);
  }),

  scenario(
    'rule 2: an undo in the middle of a rollout is not undone, although pods from before the change live',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', {
        annotations: auto,
        uses,
        replicas: 2,
        spec: { ...slowRollout(s) },
      });
      await s.operator();
      await s.adopted(web);
      await oldPodsCount(s, web);
      await change(s, 'two');
      await s.stage.until('the reload', () => s.rollouts(web) === 1);
      await s.stage.quiet(5_000, 1_000);
      await s.stage.undo('Deployment', 'web');
      await s.rolled([web, 2]);
      await s.stage.quiet(10 * 60_000, 12_000);
      await s.rolled([web, 2]);
    },
  ),

  scenario('rule 2: a ledger of a newer version is left alone', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', { annotations: auto, uses });
    const newer = JSON.stringify({ v: 2, uid: s.live(web).metadata.uid, secret: 'format' });
    await s.annotate(web, { ledger: newer });
    await s.operator();
    await s.stage.quiet();
    await change(s, 'two');
    await s.rolled([web, 0]);
    expect(annotationsOf(s.live(web))[LEDGER]).toBe(newer);
    s.allow.pending = true;
  }),

  scenario(
    'rule 3: a ledger that was stripped is not missed, is not written again, and restarts nothing',
    async (s) => {
      const web = await adoptedWeb(s);
      await change(s, 'two');
      await s.rolled([web, 1]);
      await s.running(web);
      const { template } = s.live(web).spec as { template: object };
      const stripped = manifestOf(s, 'web');
      await s.stage.replace({ ...stripped, spec: { ...stripped.spec, template } });
      await s.stage.quiet();
      expect([s.record(web)?.seq, annotationsOf(s.live(web))[LEDGER]]).toEqual([1, undefined]);
      await s.rolled([web, 1]);
      await change(s, 'three');
      await s.rolled([web, 2]);
    },
  ),

  scenario('rule 3: a change at the moment in which the ledger is stripped is not lost', async (s) => {
    const web = await adoptedWeb(s);
    await s.stage.replace(manifestOf(s, 'web'));
    await change(s, 'two');
    await s.rolled([web, 1]);
  }),

  scenario(
    'rule 3: stripped while the operator is away and the notebook is lost, the record is read back from the template',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', { annotations: auto, uses });
      const first = await s.operator();
      await s.adopted(web);
      await change(s, 'two');
      await s.rolled([web, 1]);
      await first.kill();
      await s.annotate(web, { ledger: null });
      await deleteNotes(s.stage.client, s.stage.chronicle);
      await s.stage.until('nothing to be recorded', () => s.record(web) === undefined);
      const second = await s.operator();
      await s.stage.until('the record to be back', () => s.record(web) !== undefined);
      await s.rolled([web, 1]);
      expect(s.record(web)?.seq).toBe(1);
      await second.kill();
      await change(s, 'three');
      await s.operator();
      await s.rolled([web, 2]);
    },
  ),

  scenario(
    'rule 3: a ledger that a user removes again and again is not written back, and nothing is lost',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', { uses });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'web' }],
      });
      await s.operator();
      await s.adopted(web);
      await change(s, 'two');
      await s.rolled([web, 1]);
      for (let round = 0; round < 10; round++) {
        await s.annotate(web, { ledger: null });
        await s.stage.quiet(5_000, 300);
      }
      expect(annotationsOf(s.live(web))[LEDGER], 'it is not written again').toBeUndefined();
      expect(s.record(web)?.seq).toBe(1);
      const writes = (await s.stage.requests()).filter(
        ({ verb, resource }) => verb === 'patch' && resource === 'deployments',
      );
      expect(writes.length, 'the rollout').toBe(1);
      await s.conditionIs(config, 'Degraded', 'False');
      await change(s, 'three');
      await s.rolled([web, 2]);
      expect(s.record(web)?.seq).toBe(2);
    },
  ),

  scenario(
    'rule 4: a template that was put back in the middle of a rollout is rolled out again, a bounded number of times',
    async (s) => {
      s.allow.unexplained = true;
      s.allow.pending = true;
      await change(s, 'one');
      const web = await s.deployment('web', {
        annotations: auto,
        uses,
        replicas: 2,
        spec: { ...slowRollout(s) },
      });
      const before = s.live(web).spec?.template as object;
      const operations = [{ op: 'replace' as const, path: '/spec/template', value: before }];
      const putBack = () =>
        s.stage.client.patch(kinds.Deployment, web, { type: 'json', operations }, { fieldManager: 'gitops' });
      await s.operator();
      await s.adopted(web);
      await oldPodsCount(s, web);
      await change(s, 'two');
      await s.stage.until('the reload', () => s.rollouts(web) === 1);
      await putBack();
      await s.stage.until('the repeated rollout', () => s.rollouts(web) >= 3);
      expect(s.template(web).metadata?.annotations).toHaveProperty([ROLLED]);
      for (let round = 0; round < 60; round++) {
        if (s.template(web).metadata?.annotations?.[ROLLED] !== undefined) await putBack();
        await s.stage.quiet(5_000, 300);
      }
      const requests = await s.stage.requests();
      const ours = requests.filter(
        ({ verb, resource, body }) =>
          verb === 'patch' && resource === 'deployments' && JSON.stringify(body).includes('/spec/template'),
      );
      expect(ours.length, 'bounded').toBeLessThanOrEqual(5);
    },
  ),

  scenario('rule 4: a template that was put back when all pods were new is left alone', async (s) => {
    const web = await adoptedWeb(s);
    await change(s, 'two');
    await s.rolled([web, 1]);
    await s.running(web);
    const template = structuredClone(s.live(web).spec?.template) as {
      metadata: { annotations?: Record<string, string> };
      spec: { containers: { env?: unknown[] }[] };
    };
    delete template.metadata.annotations;
    for (const container of template.spec.containers) delete container.env;
    await s.stage.quiet(5_000, 2_000);
    const operations = [{ op: 'replace' as const, path: '/spec/template', value: template }];
    await s.stage.client.patch(
      kinds.Deployment,
      web,
      { type: 'json', operations },
      { fieldManager: 'gitops' },
    );
    await s.rolled([web, 2]);
    // Pods created after the next change would start with its value and need no rollout.
    await s.running(web);
    await change(s, 'three');
    await s.rolled([web, 3]);
  }),

  scenario('rule 5: a release that changes ConfigMap and Deployment restarts once', async (s) => {
    const settings = (mode: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: s.namespace },
      data: { mode },
    });
    const release = (mode: string, image: string): Promise<void> => {
      const app = workload('Deployment', 'app', s.namespace, {
        annotations: auto,
        uses: [{ configMap: 'settings' }],
      });
      const { template } = app.spec as { template: { spec: { containers: { image: string }[] } } };
      for (const container of template.spec.containers) container.image = image;
      return s.stage.release('shop', [settings(mode), app]);
    };
    await release('slow', 'registry.test/app:1');
    const app = s.ref('Deployment', 'app');
    await s.running(app);
    await s.operator({ args: s.isVirtual ? [] : ['--settle=2s'] });
    await s.adopted(app);
    await release('fast', 'registry.test/app:2');
    await s.stage.quiet(15_000, 3_500);
    await s.rolled([app, 1]);
    await release('faster', 'registry.test/app:2');
    await s.rolled([app, 2]);
    expect(s.record(app)?.seq).toBe(1);
    const looked = (await s.stage.requests()).filter(
      ({ verb, resource }) => verb === 'list' && resource === 'pods',
    );
    expect(looked, 'who watched need not look at pods').toEqual([]);
  }),

  scenario('rule 5: a key that is removed after a user changed the template is a change', async (s) => {
    await s.secret('db', { password: 'one', more: 'x' });
    const web = await s.deployment('web', { annotations: auto, uses });
    await s.operator();
    await s.adopted(web);
    await s.image(web, 'registry.test/app:2');
    await s.running(web);
    await s.stage.quiet(15_000, 2_500);
    // A write that only removes keys owns no field, so the server does not update the time in managedFields.
    const operations = [{ op: 'remove' as const, path: '/data/more' }];
    const key = { namespace: s.namespace, name: 'db' };
    await s.stage.client.patch(kinds.Secret, key, { type: 'json', operations }, { fieldManager: 'remover' });
    await s.rolled([web, 2]);
  }),

  scenario('rule 5: a release made while the operator is away restarts nothing a second time', async (s) => {
    await s.configMap('settings', { mode: 'slow' });
    const app = await s.deployment('app', { annotations: auto, uses: [{ configMap: 'settings' }] });
    const first = await s.operator();
    await s.adopted(app);
    await first.kill();
    await s.stage.quiet(5_000, 1_200);
    await s.configMap('settings', { mode: 'fast' });
    await s.stage.quiet(5_000, 1_200);
    await s.image(app, 'registry.test/app:2');
    await s.running(app);
    await s.stage.quiet(5_000, 1_200);
    await s.operator();
    await s.rolled([app, 1]);
    await s.configMap('settings', { mode: 'faster' });
    await s.rolled([app, 2]);
  }),
];

function relabelled(template: unknown, app: string): object {
  const copy = structuredClone(template) as { metadata: { labels: Record<string, string> } };
  copy.metadata.labels = { app };
  return copy;
}
