/**
 * Releases that write a ConfigMap and its Deployment within one second: their own rollout brings the new value, so each
 * workload restarts once. And Jobs: a CronJob and a finished Job run once for a change that the record proves, and
 * never for one that it does not.
 */
import { expect } from 'vitest';
import type { Ref } from '../chronicle.ts';
import { deleteNotes, notesOf, restoreNotes } from '../notes-acts.ts';
import { workload } from '../objects.ts';
import { PRODUCT, STAKATER } from '../rbac.ts';
import { templateChanges } from '../rollouts.ts';
import { type Scenario, scenario } from '../scenario.ts';
import type { Scene } from '../scene.ts';
import type { Permissions } from '../stage.ts';

const auto = { auto: 'true' };

export interface Fleet {
  /** Helm upgrades. */
  readonly releases: number;
  /** ConfigMaps with their Deployments in each release. */
  readonly pairs: number;
}

/** Each release runs a Helm process, and the machine has few processors. */
const AT_A_TIME = 4;

async function upgrade(s: Scene, { releases, pairs }: Fleet, version: string): Promise<void> {
  const numbers = Array.from({ length: releases }, (_, number) => number);
  const next = async (): Promise<void> => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift()) {
      const objects = Array.from({ length: pairs }, (_, pair) => pairOf(s, `r${number}-${pair}`, version));
      await s.stage.release(`r${number}`, objects.flat());
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, next));
}

function pairOf(s: Scene, name: string, version: string): object[] {
  const { namespace } = s;
  const app = workload('Deployment', name, namespace, { annotations: auto, uses: [{ configMap: name }] });
  const { template } = app.spec as { template: { spec: { containers: { image: string }[] } } };
  for (const container of template.spec.containers) container.image = `registry.test/app:${version}`;
  const data = { version };
  return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data }, app];
}

function refsOf(s: Scene, { releases, pairs }: Fleet): Ref[] {
  return Array.from({ length: releases * pairs }, (_, index) =>
    s.ref('Deployment', `r${Math.floor(index / pairs)}-${index % pairs}`),
  );
}

/** Each was rolled out exactly so often, and only by Helm. */
async function onlyByHelm(s: Scene, refs: readonly Ref[], rollouts: number): Promise<void> {
  await s.rolled(...refs.map((ref) => [ref, rollouts] as const));
  const ours = refs.filter((ref) => s.record(ref)?.seq !== 0).map(({ name }) => name);
  expect(ours, 'reloaded by us').toEqual([]);
}

/**
 * The same if the operator may not list pods. On a busy machine Helm needs more than a second for the two writes. Then
 * nothing shows that Helm's rollout brought the value, and the operator reloads once more.
 */
async function onlyByHelmInOneSecond(s: Scene, refs: readonly Ref[]): Promise<void> {
  const together = refs.filter((ref) => isWithinOneSecond(s, ref));
  console.info(`${together.length} of ${refs.length} upgrades were made within one second`);
  await onlyByHelm(s, together, 1);
  expect(refs.filter((ref) => s.rollouts(ref) > 2).map(({ name }) => name)).toEqual([]);
}

function isWithinOneSecond(s: Scene, ref: Ref): boolean {
  const { chronicle } = s.stage;
  const byHelm = ({
    metadata,
  }: {
    metadata: { managedFields?: readonly { manager?: string; time?: string }[] };
  }) => metadata.managedFields?.find(({ manager }) => manager === 'helm')?.time;
  const [released] = templateChanges(chronicle.of(ref));
  const source = chronicle.of({ ...ref, kind: 'ConfigMap' }).at(-1);
  return released !== undefined && source !== undefined && byHelm(released.object) === byHelm(source.object);
}

function upgrades(what: string, permissions: Permissions, fleet: Fleet): Scenario {
  const count = fleet.releases * fleet.pairs;
  return scenario(`rule 5: ${count} upgrades by Helm, ${what}, restart each workload once`, async (s) => {
    await upgrade(s, fleet, '1');
    const refs = refsOf(s, fleet);
    for (const ref of refs) await s.running(ref);
    // On a busy machine Helm may pause between the two writes; this settling is longer than that.
    const args = s.isVirtual ? [] : ['--settle=5s', '--settle-max=30s'];
    const first = await s.operator({ args, permissions });
    await s.adopted(...refs);
    const adopted = entriesOf(s, refs);
    await upgrade(s, fleet, '2');
    await noted(s, refs, adopted);
    if (permissions !== PRODUCT && !s.isVirtual) return onlyByHelmInOneSecond(s, refs);
    await onlyByHelm(s, refs, 1);
    if (permissions !== PRODUCT) return;
    // The same while no operator runs: the pods, or one field manager in one second, show that the rollout brought the
    // value.
    await first.stop();
    const second = entriesOf(s, refs);
    await upgrade(s, fleet, '3');
    for (const ref of refs) await s.running(ref);
    await s.operator({ args, permissions });
    await noted(s, refs, second);
    await onlyByHelm(s, refs, 2);
  });
}

const entriesOf = (s: Scene, refs: readonly Ref[]): (string | undefined)[] =>
  refs.map((ref) => s.record(ref)?.s[`cm/${ref.name}`]);

/** Waits until the release is recorded, which changes the record of each workload. */
async function noted(s: Scene, refs: readonly Ref[], before: readonly (string | undefined)[]): Promise<void> {
  for (const [index, ref] of refs.entries()) {
    const isNoted = (): boolean => entriesOf(s, [ref])[0] !== before[index];
    await s.stage.until(`what Helm wrote to be noted for ${ref.name}`, isNoted, 120_000);
  }
}

export function releases(fleet: Fleet): Scenario[] {
  return [
    upgrades('with its own role', PRODUCT, fleet),
    upgrades("with the role of Stakater's chart", STAKATER, fleet),
  ];
}

interface Runs {
  readonly nightly: Ref;
  readonly once: Ref;
  /** A Deployment on the same source: its record shows when the operator has processed the change. */
  readonly web: Ref;
}

async function runs(s: Scene): Promise<Runs> {
  await s.secret('db', { a: '1' });
  const given = { annotations: auto, uses: [{ secret: 'db' }] };
  const once = await s.workload('Job', 'once', given);
  const nightly = await s.workload('CronJob', 'nightly', given);
  const web = await s.deployment('web', given);
  const succeeded = (): number => Number((s.live(once).status as { succeeded?: number })?.succeeded ?? 0);
  await s.stage.until('the Job to end', () => succeeded() > 0);
  return { nightly, once, web };
}

async function ranSoOften(s: Scene, { nightly, once, web }: Runs, times: number): Promise<void> {
  await s.rolled([web, 1], [once, times]);
  expect(s.jobsOf(nightly), 'runs of the CronJob').toHaveLength(times);
}

const ROLES = [
  ['with its own role', PRODUCT],
  ["with the role of Stakater's chart", STAKATER],
] as const;

/** The times of an upgrade do not show whether it changed the template; the template seen just before does. */
const withoutTemplate: Scenario = scenario(
  'rule 5: an upgrade that changes a ConfigMap and only the number of replicas is rolled out by us',
  async (s) => {
    const release = async (version: string, image: string, replicas: number): Promise<void> => {
      const [configMap, app] = pairOf(s, 'web', version) as [object, ReturnType<typeof workload>];
      const spec = structuredClone(app.spec) as {
        replicas: number;
        template: { spec: { containers: { image: string }[] } };
      };
      spec.replicas = replicas;
      for (const container of spec.template.spec.containers) container.image = `registry.test/app:${image}`;
      await s.stage.release('web', [configMap, { ...app, spec }]);
    };
    await release('1', '1', 1);
    const web = s.ref('Deployment', 'web');
    await s.running(web);
    await s.operator();
    await s.adopted(web);
    await release('1', '2', 1);
    await s.rolled([web, 1]);
    await s.running(web);
    await s.stage.quiet(5_000, 2_000);
    await release('2', '2', 2);
    await s.rolled([web, 2]);
    expect(s.record(web)?.seq).toBe(1);
  },
);

/** An operator without events about workloads has to read the workload before it acts. */
export const settlingReleases: Scenario[] = [
  withoutTemplate,
  ...ROLES.map(([what, permissions]) =>
    scenario(
      `rule 5: a Deployment that is released while its ConfigMap settles restarts once, ${what}`,
      async (s) => {
        await s.configMap('settings', { version: '1' });
        const web = await s.deployment('web', { annotations: auto, uses: [{ configMap: 'settings' }] });
        await s.operator({ args: ['--settle=4s', '--settle-max=20s'], permissions });
        await s.adopted(web);
        const before = s.record(web)?.s['cm/settings'];
        await s.configMap('settings', { version: '2' });
        await s.stage.quiet(1_500, 1_500);
        await s.image(web, 'registry.test/app:2');
        await s.stage.until('what was released to be noted', () => {
          const now = s.record(web)?.s['cm/settings'];
          return now !== before;
        });
        await s.rolled([web, 1]);
        expect(s.record(web)?.seq, 'reloaded by us').toBe(0);
      },
    ),
  ),
];

export const onlyRun: Scenario[] = ROLES.flatMap(([what, permissions]) => [
  scenario(`rule 6: without a record a CronJob and a finished Job are not run, ${what}`, async (s) => {
    s.allow.unexplained = true;
    const cast = await runs(s);
    const first = await s.operator({ permissions });
    await s.adopted(cast.web, cast.once, cast.nightly);
    await first.stop();
    await deleteNotes(s.stage.client, s.stage.chronicle);
    await s.stage.quiet(2_000, 1_100);
    await s.secret('db', { a: '2' });
    await s.operator({ permissions });
    await s.adopted(cast.once, cast.nightly);
    await ranSoOften(s, cast, 0);
  }),

  scenario(
    `rule 11: with a record a CronJob and a finished Job run once, killed in between, ${what}`,
    async (s) => {
      const cast = await runs(s);
      // Without its note, the template of the Job has the number of its run, but not the cause.
      s.allow.unexplained = [cast.once.name];
      const first = await s.operator({ permissions });
      await s.adopted(cast.web, cast.once, cast.nightly);
      const { chronicle, client } = s.stage;
      const adopted = Math.max(...notesOf(chronicle).map((ref) => chronicle.of(ref).at(-1)?.revision ?? 0));
      await first.stop();
      await s.secret('db', { a: '2' });
      const second = await s.operator({ permissions });
      await s.stage.until('the runs', () => s.jobsOf(cast.nightly).length > 0 && s.rollouts(cast.once) > 0);
      await second.kill();
      // As if killed before it could record the runs: the notes are those from before.
      await restoreNotes(client, chronicle, adopted);
      await s.stage.until('the old notes', () => s.record(cast.nightly)?.seq === 0);
      await s.operator({ permissions });
      await s.stage.until('the run to be noted', () => s.record(cast.nightly)?.seq === 1);
      await ranSoOften(s, cast, 1);
    },
  ),
]);
