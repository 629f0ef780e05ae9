/** The thirteen rules that keep the ledger true: each scenario fails where its rule is missing. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { LEDGER, ROLLED } from '../names.ts';
import { type Manifest, workload } from '../objects.ts';
import { PRODUCT, without } from '../rbac.ts';
import { scenario } from '../scenario.ts';
import { annotationsOf, type Scene } from '../scene.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }] as const;

const change = (s: Scene, value: string): Promise<void> => s.secret('db', { password: value });

async function adoptedWeb(s: Scene, replicas = 1): Promise<Ref> {
  await change(s, 'one');
  const web = await s.deployment('web', { annotations: auto, uses, replicas });
  await s.operator();
  await s.adopted(web);
  return web;
}

/** As a Git repository holds it: nothing that we or the server wrote. */
function manifestOf(s: Scene, name: string, image = 'registry.test/app:1'): Manifest {
  const manifest = workload('Deployment', name, s.namespace, { annotations: auto, uses });
  const { template } = manifest.spec as { template: { spec: { containers: { image: string }[] } } };
  for (const container of template.spec.containers) container.image = image;
  return manifest;
}

export const rules = [
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
    await s.stage.until('a ledger of its own', () => s.ledger(copy)?.uid === s.live(copy).metadata.uid);
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
    expect(s.ledger(web)?.seq, 'recorded with its true number').toBeGreaterThanOrEqual(2);
    await change(s, 'four');
    await s.rolled([web, 4]);
  }),

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

  scenario('rule 3: a ledger that was stripped is written again, and restarts nothing', async (s) => {
    const web = await adoptedWeb(s);
    await change(s, 'two');
    await s.rolled([web, 1]);
    await s.running(web);
    const { template } = s.live(web).spec as { template: object };
    const stripped = manifestOf(s, 'web');
    await s.stage.replace({ ...stripped, spec: { ...stripped.spec, template } });
    await s.stage.until('the ledger to be back', () => s.ledger(web)?.seq === 1);
    await s.rolled([web, 1]);
    await change(s, 'three');
    await s.rolled([web, 2]);
  }),

  scenario(
    'rule 3: stripped while the operator is away, the ledger is read back from the template',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', { annotations: auto, uses });
      const first = await s.operator();
      await s.adopted(web);
      await change(s, 'two');
      await s.rolled([web, 1]);
      await first.kill();
      await s.annotate(web, { ledger: null });
      const second = await s.operator();
      await s.stage.until('the ledger to be back', () => s.ledger(web) !== undefined);
      await s.rolled([web, 1]);
      expect(s.ledger(web)?.seq).toBe(1);
      await second.kill();
      await s.annotate(web, { ledger: null });
      await change(s, 'three');
      await s.operator();
      await s.rolled([web, 2]);
    },
  ),

  scenario('rule 3: whoever strips it again and again is waited out, and a condition says so', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', { uses });
    const config = await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [{ kind: 'Deployment', name: 'web' }],
    });
    await s.operator();
    await s.adopted(web);
    for (let round = 0; round < 12; round++) {
      await s.annotate(web, { ledger: null });
      await s.stage.quiet(5_000, 700);
    }
    const writes = (await s.stage.requests()).filter(
      ({ verb, resource }) => verb === 'patch' && resource === 'deployments',
    );
    expect(writes.length, 'with backoff').toBeLessThanOrEqual(9);
    expect(
      `${JSON.stringify(s.status(config))}${s.stage.operators.map((each) => each.logText()).join()}`,
    ).toContain('LedgerContended');
    await s.rolled([web, 0]);
    s.allow.pending = true;
  }),

  scenario(
    'rule 4: a template that was put back in the middle of a rollout is rolled out again, a bounded number of times',
    async (s) => {
      s.allow.unexplained = true;
      await change(s, 'one');
      const web = await s.deployment('web', { annotations: auto, uses, replicas: 2 });
      const before = s.live(web).spec?.template as object;
      await s.operator();
      await s.adopted(web);
      // Pods that never become ready keep the old ones alive, so the rollout stays in the middle.
      await change(s, 'two');
      await s.stage.until('the reload', () => s.rollouts(web) === 1);
      const operations = [{ op: 'replace' as const, path: '/spec/template', value: before }];
      await s.stage.client.patch(
        kinds.Deployment,
        web,
        { type: 'json', operations },
        { fieldManager: 'gitops' },
      );
      await s.stage.until('the repeated rollout', () => s.rollouts(web) >= 3);
      expect(s.template(web).metadata?.annotations).toHaveProperty([ROLLED]);
      for (let round = 0; round < 10; round++) {
        const live = JSON.stringify(s.live(web).spec?.template);
        if (live !== JSON.stringify(before))
          await s.stage.client.patch(
            kinds.Deployment,
            web,
            { type: 'json', operations },
            { fieldManager: 'gitops' },
          );
        await s.stage.quiet(5_000, 300);
      }
      const ours = (await s.stage.requests()).filter(
        ({ verb, resource, body }) =>
          verb === 'patch' && resource === 'deployments' && JSON.stringify(body).includes('/spec/template'),
      );
      expect(ours.length, 'bounded').toBeLessThanOrEqual(6);
      s.allow.pending = true;
    },
    { only: 'minicluster' },
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
    expect(s.ledger(app)?.seq).toBe(1);
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

  scenario(
    'rule 6: a workload and a change that came while we were away: the change is rolled out',
    async (s) => {
      s.allow.unexplained = true;
      await change(s, 'one');
      const first = await s.operator();
      await s.stage.quiet(5_000, 1_200);
      await first.kill();
      const web = await s.deployment('web', { annotations: auto, uses });
      const still = await s.deployment('still', { annotations: auto, uses: [{ configMap: 'settings' }] });
      await s.configMap('settings', { mode: 'slow' });
      const late = await s.deployment('late', { annotations: auto, uses: [{ configMap: 'settings' }] });
      await s.stage.quiet(5_000, 2_200);
      await change(s, 'two');
      await s.stage.quiet(5_000, 1_200);
      await s.operator();
      await s.stage.until('the records', () => s.ledger(web) !== undefined && s.ledger(late) !== undefined);
      await s.rolled([web, 1], [late, 0]);
      expect(s.rollouts(still)).toBeLessThanOrEqual(1);
    },
  ),

  scenario('rule 6: everything older than the installation is adopted', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', { annotations: auto, uses });
    await s.stage.quiet(5_000, 2_000);
    await change(s, 'two');
    await s.stage.quiet(5_000, 1_200);
    await s.operator();
    await s.adopted(web);
    await s.rolled([web, 0]);
  }),

  scenario('rule 7: opting out forgets, opting in again adopts', async (s) => {
    const web = await adoptedWeb(s);
    await s.annotate(web, { auto: null });
    await s.stage.quiet();
    expect(Object.keys(s.ledger(web)?.s ?? {})).toEqual([]);
    await change(s, 'two');
    await s.rolled([web, 0]);
    await s.annotate(web, { auto: 'true' });
    await s.stage.until('the entry', () => Object.keys(s.ledger(web)?.s ?? {}).length === 1);
    await s.rolled([web, 0]);
    await change(s, 'three');
    await s.rolled([web, 1]);
  }),

  scenario(
    'rule 8: forbidden is not gone: losing and regaining the right to read restarts nothing',
    async (s) => {
      await change(s, 'one');
      await s.configMap('settings', { mode: 'slow' });
      const web = await s.deployment('web', {
        annotations: auto,
        uses: [...uses, { configMap: 'settings' }],
      });
      const args = ['--reload-on-delete=true', '--reload-on-create=true'];
      const first = await s.operator({ args });
      await s.adopted(web);
      await first.stop();
      const blind = await s.operator({ args, permissions: without('secrets'), unready: true });
      await s.stage.quiet(60_000, 3_000);
      expect(s.rollouts(web)).toBe(0);
      await blind.kill();
      await s.operator({ args, permissions: PRODUCT });
      await s.rolled([web, 0]);
      await change(s, 'two');
      await s.rolled([web, 1]);
    },
  ),

  scenario('rule 8: a namespace that is being deleted deletes no sources for others', async (s) => {
    const other = await s.stage.createNamespace('other', {
      annotations: { 'reloader.stakater.com/allow-from': s.namespace },
      labels: { team: 'a' },
    });
    await s.secret('db', { a: '1' }, { namespace: other });
    const web = await s.deployment('web');
    await s.config('config', {
      watchedResources: { secrets: ['db'], namespaceSelector: { matchLabels: { team: 'a' } } },
      reloadOnDelete: true,
      targets: [{ kind: 'Deployment', name: 'web' }],
    });
    await s.operator();
    await s.adopted(web);
    await s.stage.client.delete(kinds.Namespace, { name: other });
    await s.gone({ kind: 'Secret', namespace: other, name: 'db' });
    await s.rolled([web, 0]);
    s.allow.pending = true;
  }),

  scenario(
    'rule 9: adopting many workloads restarts none, and where it is refused the baseline is in memory',
    async (s) => {
      await change(s, 'one');
      const refs = await Promise.all(
        Array.from({ length: 12 }, (_, index) => s.deployment(`web-${index}`, { annotations: auto, uses })),
      );
      const operator = await s.operator({ permissions: without('deployments', 'patch') });
      await s.stage.quiet();
      expect(refs.map((ref) => s.ledger(ref))).toEqual(refs.map(() => undefined));
      await s.stage.permit(operator, PRODUCT);
      await s.stage.quiet(2_000, 1_000);
      await change(s, 'two');
      await s.stage.until('the reloads', () => refs.every((ref) => s.rollouts(ref) === 1), 10 * 60_000);
      await s.rolled(...refs.map((ref) => [ref, 1] as const));
      s.allow.unexplained = true;
    },
  ),

  scenario('rule 10: what is deferred stands in the ledger', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', {
      annotations: { ...auto, 'batch-window': s.stage.span('10m', '15s') },
      uses,
    });
    const first = await s.operator();
    await s.adopted(web);
    await change(s, 'two');
    await s.stage.until('pendingSince', () => s.ledger(web)?.ps !== undefined);
    const since = s.ledger(web)?.ps;
    await first.kill();
    await s.stage.quiet(60_000, 1_000);
    await s.operator();
    await s.stage.quiet();
    expect([s.rollouts(web), s.ledger(web)?.ps]).toEqual([0, since]);
    await s.stage.until('the end of the window', () => s.rollouts(web) === 1, 10 * 60_000);
    await s.rolled([web, 1]);
    expect(s.ledger(web)?.ps).toBeUndefined();
  }),

  scenario(
    "rule 11: a CronJob's Job has a name made from the digest, and Jobs of CronJobs are never touched",
    async (s) => {
      await change(s, 'one');
      const nightly = await s.workload('CronJob', 'nightly', {
        annotations: auto,
        templateAnnotations: auto,
        uses,
      });
      const first = await s.operator();
      await s.adopted(nightly);
      await change(s, 'two');
      await s.stage.until('a Job', () => s.jobsOf(nightly).length === 1);
      const [job] = s.jobsOf(nightly);
      await s.stage.quiet();
      await first.kill();
      // As if it had been killed between creating the Job and recording it.
      const ledgers = s.stage.chronicle.of(nightly).map(({ object }) => annotationsOf(object)[LEDGER]);
      await s.annotate(nightly, { ledger: ledgers.find((text) => text?.includes('"seq":0')) ?? null });
      await s.operator();
      await s.stage.quiet();
      expect(s.jobsOf(nightly).map(({ metadata }) => metadata.uid)).toEqual([job?.metadata.uid]);
    },
  ),

  scenario('rule 12: recorded is not rolled: a paused Deployment shows as waiting', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', { uses });
    const config = await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [{ kind: 'Deployment', name: 'web' }],
    });
    await s.operator();
    await s.adopted(web);
    await s.merge(web, { spec: { paused: true } });
    await s.stage.quiet(1_000, 300);
    await change(s, 'two');
    await s.stage.until('the record', () => s.ledger(web)?.seq === 1);
    await s.stage.until('the note', () => JSON.stringify(s.status(config)).includes('WaitingForWorkload'));
    await s.merge(web, { spec: { paused: false } });
    await s.stage.until(
      'the note to go',
      () => !JSON.stringify(s.status(config)).includes('WaitingForWorkload'),
    );
    await s.rolled([web, 1]);
  }),

  scenario('rule 13: counts come from the ledger, so a crash right after the PATCH loses none', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', { uses });
    const config = await s.config('config', {
      watchedResources: { secrets: ['db'] },
      targets: [{ kind: 'Deployment', name: 'web' }],
    });
    let operator = await s.operator();
    await s.adopted(web);
    for (const value of ['two', 'three', 'four']) {
      await change(s, value);
      const before = s.rollouts(web);
      await s.stage.until('the PATCH', () => s.rollouts(web) > before);
      await operator.kill();
      operator = await s.operator();
    }
    await s.rolled([web, 3]);
    await s.stage.until('the count', () => s.status(config).reloadCount === 3);
  }),
];

function relabelled(template: unknown, app: string): object {
  const copy = structuredClone(template) as { metadata: { labels: Record<string, string> } };
  copy.metadata.labels = { app };
  return copy;
}
