/** Rules 6 to 13 of the ledger: changes that the operator did not see, may not act on, or cannot act on at once. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import { restoreNotes } from '../notes-acts.ts';
import { PRODUCT, without, withoutOwn } from '../rbac.ts';
import { noteNow } from '../records.ts';
import { scenario } from '../scenario.ts';
import { adoptedWeb, auto, change, uses } from './adopted-web.ts';

export const careRules = [
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
      await s.stage.until('the records', () => s.record(web) !== undefined && s.record(late) !== undefined);
      await s.rolled([web, 1], [late, 0]);
      expect(s.rollouts(still)).toBeLessThanOrEqual(1);
    },
  ),

  scenario(
    'rule 6: a workload that is made right after its source was changed or made is not restarted',
    async (s) => {
      // Many changes at once, so that the events of the sources may arrive after the event of the workload.
      const others = Array.from({ length: 20 }, (_, index) => `other-${index}`);
      await Promise.all(others.map((name) => s.secret(name, { a: '1' })));
      await change(s, 'one');
      await s.operator({ args: ['--reload-on-create=true'] });
      await s.stage.quiet();
      await Promise.all([
        ...others.map((name) => s.secret(name, { a: '2' })),
        ...others.map((name) => s.configMap(name, { a: '2' })),
        change(s, 'two'),
        s.configMap('settings', { mode: 'slow' }),
      ]);
      const web = await s.deployment('web', {
        annotations: auto,
        uses: [...uses, { configMap: 'settings' }],
      });
      await s.adopted(web);
      await s.rolled([web, 0]);
      await change(s, 'three');
      await s.rolled([web, 1]);
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
    expect(Object.keys(s.record(web)?.s ?? {})).toEqual([]);
    await change(s, 'two');
    await s.rolled([web, 0]);
    await s.annotate(web, { auto: 'true' });
    await s.stage.until('the entry', () => Object.keys(s.record(web)?.s ?? {}).length === 1);
    await s.rolled([web, 0]);
    await change(s, 'three');
    await s.rolled([web, 1]);
  }),

  scenario('rule 7: a ReloaderConfig that is replaced while a change waits keeps that change', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', { uses });
    const spec = {
      watchedResources: { secrets: ['db'] },
      targets: [{ kind: 'Deployment', name: 'web' }],
      batchWindow: s.stage.span('10m', '15s'),
    };
    await s.config('web', spec);
    await s.operator();
    await s.adopted(web);
    await change(s, 'two');
    await s.stage.until('pendingSince', () => s.record(web)?.ps !== undefined);
    const since = s.record(web)?.ps;
    await s.remove('ReloaderConfig', 'web');
    await s.stage.quiet(3_000, 2_000);
    await s.config('web', spec);
    await s.stage.quiet(3_000, 2_000);
    expect(s.record(web)?.ps).toBe(since);
    await s.stage.until('the end of the window', () => s.rollouts(web) === 1, 10 * 60_000);
    await s.rolled([web, 1]);
  }),

  scenario(
    'rule 7: a ReloaderConfig that stays away opts out, and adopts when it is back later',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', { uses });
      const spec = {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'web' }],
      };
      await s.config('web', spec);
      await s.operator();
      await s.adopted(web);
      await s.remove('ReloaderConfig', 'web');
      await change(s, 'two');
      await s.stage.until('the opt-out', () => Object.keys(s.record(web)?.s ?? {}).length === 0, 30_000);
      await s.config('web', spec);
      await s.stage.until('the entry', () => Object.keys(s.record(web)?.s ?? {}).length === 1);
      await s.rolled([web, 0]);
      await change(s, 'three');
      await s.rolled([web, 1]);
    },
  ),

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
    'rule 9: adopting many workloads restarts none, writes to none, and needs no right to',
    async (s) => {
      await change(s, 'one');
      const refs = await Promise.all(
        Array.from({ length: 12 }, (_, index) => s.deployment(`web-${index}`, { annotations: auto, uses })),
      );
      const operator = await s.operator({ permissions: without('deployments', 'patch') });
      await s.adopted(...refs);
      expect(await s.writesTo('deployments')).toEqual([]);
      expect(refs.map((ref) => s.live(ref).metadata.generation)).toEqual(refs.map(() => 1));
      await s.stage.permit(operator, PRODUCT);
      await s.stage.quiet(2_000, 1_000);
      await change(s, 'two');
      await s.stage.until('the reloads', () => refs.every((ref) => s.rollouts(ref) === 1), 10 * 60_000);
      await s.rolled(...refs.map((ref) => [ref, 1] as const));
      expect(await s.writesTo('deployments')).toHaveLength(refs.length);
    },
  ),

  scenario(
    'rule 9: where the notebook may not be written the record is in memory, and is told',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', { uses });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'web' }],
      });
      const operator = await s.operator({ permissions: withoutOwn('configmaps') });
      await s.conditionIs(config, 'NotebookUnavailable', 'True');
      expect(s.record(web)).toBeUndefined();
      await change(s, 'two');
      await s.rolled([web, 1]);
      await s.stage.permit(operator, PRODUCT);
      await s.stage.until('the note', () => noteNow(s.stage.chronicle, web) !== undefined, 120_000);
      s.allow.unexplained = true;
    },
  ),

  scenario('rule 10: a deferred reload is recorded', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', {
      annotations: { ...auto, 'batch-window': s.stage.span('10m', '15s') },
      uses,
    });
    const first = await s.operator();
    await s.adopted(web);
    await change(s, 'two');
    await s.stage.until('pendingSince', () => s.record(web)?.ps !== undefined);
    const since = s.record(web)?.ps;
    await first.kill();
    await s.stage.quiet(60_000, 1_000);
    await s.operator();
    await s.stage.quiet();
    expect([s.rollouts(web), s.record(web)?.ps]).toEqual([0, since]);
    await s.stage.until('the end of the window', () => s.rollouts(web) === 1, 10 * 60_000);
    await s.rolled([web, 1]);
    expect(s.record(web)?.ps).toBeUndefined();
  }),

  scenario(
    'rule 10: what changed back while it was deferred is rolled out if a pod was made in between, and only then',
    async (s) => {
      s.allow.unexplained = true;
      await change(s, 'one');
      const [grown, same] = await Promise.all(
        ['grown', 'same'].map((name) =>
          s.deployment(name, { annotations: { ...auto, 'batch-window': s.stage.span('2m', '10s') }, uses }),
        ),
      );
      if (!grown || !same) throw new Error('two Deployments were made');
      await s.operator();
      await s.adopted(grown, same);
      await s.stage.quiet(5_000, 1_200);
      await change(s, 'two');
      await s.stage.quiet(5_000, 1_200);
      await s.merge(grown, { spec: { replicas: 2 } });
      await s.running(grown);
      await s.stage.quiet(5_000, 1_200);
      await change(s, 'one');
      await s.stage.until('the note', () => s.record(grown)?.s['secret/db'] === '-');
      await s.stage.until('the end of the window', () => s.rollouts(grown) === 1, 10 * 60_000);
      await s.rolled([grown, 1], [same, 0]);
    },
  ),

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
      // As if the operator had been killed between creating the Job and recording it.
      const made = s.stage.chronicle.of({ ...nightly, kind: 'Job', name: job?.metadata.name ?? '' })[0];
      await restoreNotes(s.stage.client, s.stage.chronicle, made?.revision ?? 0);
      await s.stage.until('the old note', () => s.record(nightly)?.seq === 0);
      await s.operator();
      await s.stage.quiet();
      expect(s.jobsOf(nightly).map(({ metadata }) => metadata.uid)).toEqual([job?.metadata.uid]);
    },
  ),

  scenario(
    'rule 12: a recorded reload is not yet rolled out: a paused Deployment shows as waiting',
    async (s) => {
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
      await s.stage.until('the record', () => s.record(web)?.seq === 1);
      await s.stage.until('the note', () => JSON.stringify(s.status(config)).includes('WaitingForWorkload'));
      await s.merge(web, { spec: { paused: false } });
      await s.stage.until(
        'the note to go',
        () => !JSON.stringify(s.status(config)).includes('WaitingForWorkload'),
      );
      await s.rolled([web, 1]);
    },
  ),

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
    await s.counted(config, 3);
  }),

  scenario('two installations: a change is rolled out once, and both are told of the other', async (s) => {
    s.allow.unexplained = true;
    await s.secret('db', { password: 'one' });
    const web = await s.deployment('web', { annotations: { auto: 'true' }, uses: [{ secret: 'db' }] });
    const first = await s.operator();
    const second = await s.operator({ installation: 'second' });
    await s.adopted(web);
    await s.stage.quiet();
    for (const [index, password] of ['two', 'three', 'four'].entries()) {
      await s.secret('db', { password });
      await s.rolled([web, index + 1]);
    }
    const told = (): string[] =>
      s
        .events(web)
        .filter(({ reason }) => reason === 'OtherInstallation')
        .map(({ message }) => message);
    await s.stage.until('it to be told', () => told().length > 0);
    expect(told().join()).toContain(`${first.namespace}/reloader`);
    expect(told().join()).toContain(`${second.namespace}/reloader`);
    const gauges = await Promise.all([first, second].map((operator) => operator.metrics()));
    expect(gauges.join('\n')).toMatch(/^reloader_contested_workloads 1$/m);
    expect([first, second].map((operator) => operator.logText()).join()).toContain('OtherInstallation');
  }),
];
