/** The notebook: the operator writes to a workload only for a rollout, and the notes survive what users do. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { LEDGER } from '../names.ts';
import { deleteNotes, notesOf, restoreNotes } from '../notes-acts.ts';
import { workload } from '../objects.ts';
import { noteNow } from '../records.ts';
import { type Scenario, scenario } from '../scenario.ts';
import { annotationsOf, type Scene } from '../scene.ts';
import { adoptedWeb, auto, change, uses } from './adopted-web.ts';

const WORKLOADS = ['deployments', 'statefulsets', 'daemonsets', 'cronjobs', 'jobs'];

async function writesToWorkloads(s: Scene): Promise<string[]> {
  return (await Promise.all(WORKLOADS.map((resource) => s.writesTo(resource)))).flat();
}

/** The number of writes to each ConfigMap of the notebook. */
async function writesOfNotes(s: Scene): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const write of await s.writesTo('configmaps')) {
    const name = write.split('/').at(-1) ?? '';
    if (name.startsWith('reloader-notes-')) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** Created before the operator starts. */
async function preparedWeb(s: Scene, more: object = {}): Promise<Ref> {
  await change(s, 'one');
  return s.deployment('web', { annotations: auto, uses, ...more });
}

const generationOf = (s: Scene, ref: Ref): number => s.live(ref).metadata.generation ?? 0;

/** An installation beside workloads that are opted in already: by the audit log, on the real control plane. */
function installing({ namespaces: count, inEach }: { namespaces: number; inEach: number }): Scenario {
  return scenario(
    `notebook: installing on ${count * inEach} workloads in ${count} namespaces writes to none, and once or twice to each piece`,
    async (s) => {
      const namespaces = [s.namespace];
      while (namespaces.length < count)
        namespaces.push(await s.stage.createNamespace(`more-${namespaces.length}`));
      const refs: Ref[] = [];
      for (const namespace of namespaces) {
        await s.secret('db', { password: 'one' }, { namespace });
        for (let index = 0; index < inEach; index++) {
          refs.push(await s.deployment(`web-${index}`, { annotations: auto, uses, namespace }));
        }
      }
      await s.operator();
      await s.adopted(...refs);
      expect(await writesToWorkloads(s)).toEqual([]);
      expect(refs.map((ref) => generationOf(s, ref))).toEqual(refs.map(() => 1));
      const writes = await writesOfNotes(s);
      for (const namespace of namespaces) expect(writes).toHaveProperty([`reloader-notes-${namespace}.0`]);
      expect(Math.max(...Object.values(writes))).toBeLessThanOrEqual(2);
    },
  );
}

/**
 * `ofEach`: the number of workloads that a freeze holds, that a batch window holds, that are evicted, and of CronJobs.
 */
function heldChanges(ofEach: number): Scenario {
  const changes = ofEach === 1 ? '' : `${4 * ofEach} `;
  return scenario(
    `notebook: ${changes}deferred, frozen, released and evicted changes write rollouts, and nothing else`,
    async (s) => {
      await change(s, 'one');
      const each = async (kind: string, name: string, annotations: Record<string, string> = {}) => {
        const refs: Ref[] = [];
        for (let index = 0; index < ofEach; index++)
          refs.push(
            await s.workload(kind, `${name}-${index}`, { annotations: { ...auto, ...annotations }, uses }),
          );
        return refs;
      };
      const held = await each('Deployment', 'held');
      const batched = await each('Deployment', 'batched', { 'batch-window': s.stage.span('1m', '3s') });
      const evicted = await each('Deployment', 'evicted', { 'rollout-strategy': 'restart' });
      const nightly = await each('CronJob', 'nightly');
      await s.operator();
      await s.adopted(...held, ...batched, ...evicted, ...nightly);
      const namespace = { kind: 'Namespace', namespace: '', name: s.namespace };
      await s.annotate(namespace, { freeze: 'true' });
      await s.stage.quiet(2_000, 500);
      await change(s, 'two');
      const waits = (ref: Ref): boolean => s.record(ref)?.ps !== undefined;
      await s.stage.until('the wait to be noted', () => held.every(waits), 60_000);
      await s.stage.quiet();
      expect((await writesToWorkloads(s)).filter((write) => !write.startsWith('create'))).toEqual([]);
      await s.annotate(namespace, { freeze: null });
      const isEvicted = (ref: Ref): boolean => s.record(ref)?.seq === 1;
      await s.stage.until('the evictions', () => evicted.every(isEvicted), 300_000);
      await s.stage.until('the windows to end', () => batched.every((ref) => s.rollouts(ref) === 1), 120_000);
      const rolled = [...held, ...batched];
      await s.rolled(...rolled.map((ref) => [ref, 1] as const), ...evicted.map((ref) => [ref, 0] as const));
      const patches = (await writesToWorkloads(s)).filter((write) => write.startsWith('patch')).sort();
      expect(patches).toEqual(rolled.map(({ name }) => `patch ${s.namespace}/${name}`).sort());
      expect(rolled.map((ref) => generationOf(s, ref))).toEqual(rolled.map(() => 2));
      expect(evicted.map((ref) => generationOf(s, ref))).toEqual(evicted.map(() => 1));
      for (const ref of [...evicted, ...nightly]) expect(annotationsOf(s.live(ref))[LEDGER]).toBeUndefined();
      for (const ref of nightly) expect(s.jobsOf(ref)).toHaveLength(1);
    },
  );
}

/** The size of the cluster that the promise is made for; too large for the quick run. */
export const inNumbers = [installing({ namespaces: 20, inEach: 50 }), heldChanges(25)];

export const notebook = [
  installing({ namespaces: 2, inEach: 12 }),

  heldChanges(1),

  scenario('notebook: rollout undo while the operator is down is understood without a write', async (s) => {
    const web = await preparedWeb(s);
    const first = await s.operator();
    await s.adopted(web);
    await change(s, 'two');
    await s.rolled([web, 1]);
    await change(s, 'three');
    await s.rolled([web, 2]);
    await s.running(web);
    await first.kill();
    await s.stage.undo('Deployment', 'web');
    await s.running(web);
    const before = (await writesToWorkloads(s)).length;
    await s.operator();
    await s.rolled([web, 3]);
    expect((await writesToWorkloads(s)).length, 'not undone, not written').toBe(before);
    await change(s, 'four');
    await s.rolled([web, 4]);
    expect(s.record(web)?.seq, 'numbers never go back').toBe(3);
  }),

  scenario(
    'notebook: replace and force-sync while the operator is down are understood without a write',
    async (s) => {
      const web = await preparedWeb(s);
      const first = await s.operator();
      await s.adopted(web);
      await change(s, 'two');
      await s.rolled([web, 1]);
      await s.running(web);
      await first.kill();
      await s.stage.replace(workload('Deployment', 'web', s.namespace, { annotations: auto, uses }));
      await s.running(web);
      await s.stage.quiet(5_000, 1_500);
      const before = (await writesToWorkloads(s)).length;
      await s.operator();
      await s.rolled([web, 2]);
      expect((await writesToWorkloads(s)).length).toBe(before);
      expect([s.record(web)?.seq, annotationsOf(s.live(web))[LEDGER]]).toEqual([1, undefined]);
      await change(s, 'three');
      await s.rolled([web, 3]);
      expect(s.record(web)?.seq).toBe(2);
    },
  ),

  scenario(
    'notebook: the very first undo in the middle of a rollout is told, never rolled out again by itself, and the next change is',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', {
        uses,
        replicas: 2,
        spec: {
          minReadySeconds: s.isVirtual ? 60 : 10,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        },
      });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'web' }],
      });
      await s.operator();
      await s.adopted(web);
      const available = (): unknown => s.live(web).status?.availableReplicas;
      await s.stage.until('pods that count', () => available() === 2, 120_000);
      await change(s, 'two');
      await s.stage.until('the reload', () => s.rollouts(web) === 1);
      await s.stage.quiet(5_000, 1_000);
      await s.stage.undo('Deployment', 'web');
      await s.conditionIs(config, 'Degraded', 'True', 'Reverted');
      await s.stage.quiet(10 * 60_000, 12_000);
      await s.rolled([web, 2]);
      await change(s, 'three');
      await s.rolled([web, 3]);
      await s.conditionIs(config, 'Degraded', 'False');
    },
  ),

  scenario(
    'notebook: a StatefulSet created anew over its pods gets the change that was held',
    async (s) => {
      s.allow.unexplained = true;
      await change(s, 'one');
      const db = await s.workload('StatefulSet', 'db', { annotations: auto, uses });
      await s.operator();
      await s.adopted(db);
      await s.stage.quiet(5_000, 1_500);
      const namespace = { kind: 'Namespace', namespace: '', name: s.namespace };
      await s.annotate(namespace, { freeze: 'true' });
      await s.stage.quiet(2_000, 500);
      await change(s, 'two');
      await s.stage.until('the wait to be noted', () => s.record(db)?.ps !== undefined);
      const old = s.live(db).metadata.uid;
      await s.stage.client.delete(kinds.StatefulSet, db, { propagationPolicy: 'Orphan' });
      await s.gone(db);
      await s.stage.quiet(3_000, 1_200);
      await s.create(workload('StatefulSet', 'db', s.namespace, { annotations: auto, uses }));
      expect(s.live(db).metadata.uid).not.toBe(old);
      await s.stage.quiet();
      await s.annotate(namespace, { freeze: null });
      const rolled = (): boolean => s.record(db)?.seq === 1 && s.record(db)?.uid === s.live(db).metadata.uid;
      await s.stage.until('the change to be rolled out', rolled);
      await s.rolled([db, 1]);
    },
    // StatefulSets of minicluster adopt no pods.
    { only: 'cluster' },
  ),

  scenario(
    'notebook: a StatefulSet created anew over its pods is adopted where nothing changed',
    async (s) => {
      await change(s, 'one');
      const db = await s.workload('StatefulSet', 'db', { annotations: auto, uses });
      await s.operator();
      await s.adopted(db);
      await s.stage.client.delete(kinds.StatefulSet, db, { propagationPolicy: 'Orphan' });
      await s.gone(db);
      await s.create(workload('StatefulSet', 'db', s.namespace, { annotations: auto, uses }));
      await s.stage.until('a note of its own', () => s.record(db)?.uid === s.live(db).metadata.uid);
      await s.rolled([db, 0]);
      expect(await s.writesTo('statefulsets')).toEqual([]);
    },
    { only: 'cluster' },
  ),

  scenario('notebook: copied YAML with our mark in it is a workload of its own', async (s) => {
    const web = await adoptedWeb(s);
    await change(s, 'two');
    await s.rolled([web, 1]);
    const template = structuredClone(s.live(web).spec?.template) as { metadata: { labels: object } };
    template.metadata.labels = { app: 'copy' };
    await change(s, 'three');
    await s.rolled([web, 2]);
    const manifest = workload('Deployment', 'copy', s.namespace, { annotations: auto, uses });
    // Its mark says `two`, and its pods started with `three`.
    const copy = await s.create({ ...manifest, spec: { ...manifest.spec, template } });
    await s.adopted(copy);
    await s.rolled([copy, 0], [web, 2]);
    expect(s.record(copy)?.seq).toBe(0);
    expect(await s.writesTo('deployments')).toHaveLength(2);
  }),

  scenario('notebook: deleted while the operator runs, it is written anew', async (s) => {
    const web = await adoptedWeb(s);
    await deleteNotes(s.stage.client, s.stage.chronicle);
    await s.stage.until('it to be gone', () => noteNow(s.stage.chronicle, web) === undefined);
    await change(s, 'two');
    await s.rolled([web, 1]);
    await s.stage.until('the note', () => noteNow(s.stage.chronicle, web)?.includes('"seq":1') === true);
  }),

  scenario(
    'notebook: deleted while the operator is down, nothing restarts and nothing is lost',
    async (s) => {
      s.allow.unexplained = true;
      // Created after the installation: a workload that is older and has no note is adopted.
      await s.configMap('settings', { mode: 'slow' });
      const first = await s.operator();
      await s.stage.quiet(5_000, 2_200);
      const web = await preparedWeb(s);
      const still = await s.deployment('still', { annotations: auto, uses: [{ configMap: 'settings' }] });
      await s.adopted(web, still);
      await s.stage.quiet(5_000, 2_200);
      await first.kill();
      await deleteNotes(s.stage.client, s.stage.chronicle);
      await change(s, 'two');
      await s.stage.quiet(5_000, 1_200);
      await s.operator();
      await s.adopted(web, still);
      await s.rolled([web, 1], [still, 0]);
    },
  ),

  scenario('notebook: restored from an old backup, nothing is rolled out twice', async (s) => {
    const web = await preparedWeb(s);
    const nightly = await s.workload('CronJob', 'nightly', { annotations: auto, uses });
    const first = await s.operator();
    await s.adopted(web, nightly);
    const backup = Math.max(
      ...notesOf(s.stage.chronicle).map((ref) => s.stage.chronicle.of(ref).at(-1)?.revision ?? 0),
    );
    await change(s, 'two');
    await s.rolled([web, 1]);
    await s.stage.until('the run', () => s.record(nightly)?.seq === 1);
    await first.kill();
    await restoreNotes(s.stage.client, s.stage.chronicle, backup);
    await s.stage.until('the old note', () => s.record(nightly)?.seq === 0);
    await s.operator();
    await s.rolled([web, 1], [nightly, 0]);
    await s.stage.until('the run to be noted', () => s.record(nightly)?.seq === 1);
    expect(s.jobsOf(nightly), 'found by its name').toHaveLength(1);
    await change(s, 'three');
    await s.rolled([web, 2]);
    await s.stage.until('the second run', () => s.jobsOf(nightly).length === 2);
  }),

  scenario(
    'notebook: a standby that is promoted after an hour of changes knows what its predecessor noted',
    async (s) => {
      const web = await preparedWeb(s, {
        annotations: { ...auto, 'batch-window': s.stage.span('70m', '20s') },
      });
      const args = ['--enable-ha=true'];
      const first = await s.operator({ args, name: 'first' });
      await s.adopted(web);
      await s.operator({ args, name: 'second', unready: true });
      await change(s, 'two');
      await s.stage.until('the wait to be noted', () => s.record(web)?.ps !== undefined);
      const since = s.record(web)?.ps;
      for (const value of ['three', 'four', 'five']) {
        await s.stage.quiet(20 * 60_000, 500);
        await change(s, value);
      }
      await first.kill();
      await s.stage.quiet(60_000, 18_000);
      expect([s.rollouts(web), s.record(web)?.ps], 'still held, since the same time').toEqual([0, since]);
      await s.stage.until('the window to end', () => s.rollouts(web) === 1, 15 * 60_000);
      await s.rolled([web, 1]);
    },
    { only: 'minicluster' },
  ),

  scenario('notebook: namespaces shop and shop-1 do not share a note', async (s) => {
    const other = await s.stage.createNamespace(s.isVirtual ? `${s.namespace}-1` : '1');
    expect(other).toBe(`${s.namespace}-1`);
    await s.secret('db', { password: 'one' }, { namespace: other });
    const web = await preparedWeb(s);
    const twin = await s.deployment('web', { annotations: auto, uses, namespace: other });
    const first = await s.operator();
    await s.adopted(web, twin);
    expect(
      notesOf(s.stage.chronicle)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([`reloader-notes-${s.namespace}-1.0`, `reloader-notes-${s.namespace}.0`]);
    await first.kill();
    await change(s, 'two');
    await s.stage.quiet(5_000, 1_200);
    await s.operator();
    await s.rolled([web, 1], [twin, 0]);
  }),

  scenario("notebook: Stakater's fleet is handed over and back without a write to a workload", async (s) => {
    // Fields that Stakater writes on a reload: its variable, and the annotation with the source.
    const web = await preparedWeb(s);
    const operations = [
      {
        op: 'add' as const,
        path: '/spec/template/spec/containers/0/env',
        value: [{ name: 'STAKATER_DB_SECRET', value: '0123456789abcdef0123456789abcdef01234567' }],
      },
    ];
    await s.stage.client.patch(
      kinds.Deployment,
      web,
      { type: 'json', operations },
      { fieldManager: 'Reloader' },
    );
    await s.stage.until('its variable', () => Object.keys(s.env(web)).length > 0);
    await s.running(web);
    const { generation } = s.live(web).metadata;
    const operator = await s.operator();
    await s.adopted(web);
    await operator.stop();
    expect(await writesToWorkloads(s)).toEqual([]);
    expect(s.live(web).metadata.generation).toBe(generation);
    expect(Object.keys(annotationsOf(s.live(web))).filter((name) => name.endsWith('/ledger'))).toEqual([]);
    expect(s.env(web)).toEqual({ STAKATER_DB_SECRET: '0123456789abcdef0123456789abcdef01234567' });
  }),
];
