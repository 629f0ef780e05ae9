/**
 * Random faults: users change things at random, operators die and are disconnected from a server that refuses, delays
 * and loses requests. Then the faults stop, and within a few minutes the state must be as if only the changes had
 * happened.
 */
import { ROUGH } from '@reloader/minicluster';
import { forEachSeed, type Random, type SeedOptions } from '@reloader/runtime/testing';
import type { Ref } from '../reloader/chronicle.ts';
import { Scene } from '../reloader/scene.ts';
import { brokenInvariants } from './invariants.ts';
import { reloadEvents } from './reloads.ts';
import { SPEAKERS, specOf, whoSaid } from './say.ts';
import { secondRestarts } from './second-restarts.ts';
import { Storm } from './storm.ts';
import { ledgerStoryOf, storyOf } from './story.ts';
import { actAtRandom, type Cast, CONFIG_MAPS, SECRETS } from './weather-actions.ts';

const auto = { auto: 'true' };
const ARGS = ['--namespace-selector=reload=yes'];
const STEPS = 25;
export const SHARED = 'shared';
/** A silent watch is noticed after 70 s, the longest backoff is 5 minutes, and conditions recover within 20. */
const CLEARING_MS = 1_300_000;

/** A process that cannot reach the server while it starts, or loses its Lease, exits and is restarted. */
export const BY_THE_WEATHER =
  /^(ConnectionLost|Timeout|InternalServer|ServiceUnavailable|TooManyRequests|LeaseLost|CacheSyncTimeout)Error/;

export interface WeatherOptions {
  /** Also damages the notebook. */
  readonly notes?: boolean;
  /** Several ReloaderConfigs target one Deployment. */
  readonly speakers?: boolean;
}

export async function roughWeather(seeds: SeedOptions, options: WeatherOptions = {}): Promise<void> {
  let judged = 0;
  let inDoubt = 0;
  await forEachSeed(seeds, async (random) => {
    const storm = await Storm.begin({ seed: random.seed, faults: ROUGH });
    const told: string[] = [];
    try {
      const broken = await weather(storm, random, told, options);
      if (options.speakers)
        judged += whoSaid(storm.chronicle, {
          kind: 'Deployment',
          namespace: storm.namespace,
          name: SHARED,
        }).judged;
      inDoubt += secondRestarts(storm.chronicle).filter((restart) => restart.inDoubt).length;
      if (broken.length === 0) return;
      const story = process.env.SEED ? `${ledgerStoryOf(storm)}\n${storyOf(storm, 400)}` : '';
      throw new Error([...broken, 'after this:', ...told, story].join('\n'));
    } finally {
      await storm.end();
    }
  });
  console.info(`Second restarts in doubt: ${inDoubt}`);
  // A run without any judged reload would prove nothing.
  if (options.speakers && judged === 0) throw new Error('No reload of several ReloaderConfigs was seen');
}

async function weather(
  storm: Storm,
  random: Random,
  told: string[],
  { notes = false, speakers = false }: WeatherOptions,
): Promise<string[]> {
  const scene = new Scene(storm);
  const pair = random.chance(0.3);
  const shared = speakers ? await speakersOf(scene, storm) : undefined;
  const cast = await setUp(scene, storm, random, pair, shared);
  for (let step = 0; step < STEPS; step++) {
    const at = `${(storm.clock.monotonic() / 1000).toFixed(1)} s, revision ${storm.revision + 1}`;
    told.push(`  ${at}: ${await actAtRandom({ scene, storm, random, cast }, notes)}`);
    await storm.quiet(random.chance(0.3) ? random.int(300) : random.int(15_000));
  }
  storm.faults.stop();
  await storm.quiet(CLEARING_MS);
  // A workload whose record is lost may restart once more: the ages of its pods decide, to the second.
  const undone = told.filter((line) =>
    /undoes a rollout|deletes the notebook|an old notebook/.test(line),
  ).length;
  const allow = { endings: BY_THE_WEATHER, unexplained: hasReverts(storm) };
  return [
    ...(await brokenInvariants(storm, allow)),
    ...tooMany(scene, cast, undone),
    ...(allow.unexplained ? [] : withoutDoubt(storm)),
    ...statusIsTrue(scene, cast),
    ...(shared ? whoSaid(storm.chronicle, shared).broken : []),
  ];
}

/** Each is a second older than the next: the oldest decides. */
export async function speakersOf(scene: Scene, storm: Storm): Promise<Ref> {
  const uses = [...SECRETS.map((secret) => ({ secret })), ...CONFIG_MAPS.map((configMap) => ({ configMap }))];
  for (const name of SECRETS) await scene.secret(name, { value: 'a' });
  for (const name of CONFIG_MAPS) await scene.configMap(name, { value: 'a' });
  const shared = await scene.deployment(SHARED, { uses });
  for (const speaker of SPEAKERS) {
    await scene.config(speaker.name, specOf(speaker, shared.name));
    await storm.quiet(1_000);
  }
  return shared;
}

async function setUp(
  scene: Scene,
  storm: Storm,
  random: Random,
  pair: boolean,
  shared: Ref | undefined,
): Promise<Cast> {
  await scene.merge(
    { kind: 'Namespace', namespace: '', name: scene.namespace },
    { metadata: { labels: { reload: 'yes' } } },
  );
  for (const name of SECRETS) await scene.secret(name, { value: 'a' });
  for (const name of CONFIG_MAPS) await scene.configMap(name, { value: 'a' });
  const all = [...SECRETS.map((secret) => ({ secret })), ...CONFIG_MAPS.map((configMap) => ({ configMap }))];
  const uses = () => all.filter(() => random.chance(0.6)).concat({ secret: 'db' });
  const workloads = [
    await scene.deployment('web', { annotations: auto, uses: uses(), replicas: 2 }),
    await scene.workload('StatefulSet', 'store', { annotations: auto, uses: uses() }),
    await scene.workload('DaemonSet', 'agent', { annotations: auto, uses: uses() }),
    await scene.deployment('target', { uses: uses() }),
    ...(shared ? [shared] : []),
  ];
  const config = await scene.config('config', {
    watchedResources: { secrets: SECRETS, configMaps: CONFIG_MAPS },
    targets: [{ kind: 'Deployment', name: 'target' }],
  });
  const args = pair ? [...ARGS, '--enable-ha=true'] : ARGS;
  await scene.operator({ args, name: 'reloader', unready: true });
  if (pair) await storm.startOperator({ args, name: 'second', unready: true });
  // The faults begin before the start; changes before the first record are not part of this test.
  await storm.until('all to be adopted', () => workloads.every((ref) => scene.record(ref)), 600_000);
  return { workloads, config };
}

/** A template of the operator was reverted: it may be rolled out again for the same content. */
export function hasReverts({ operators }: Storm): boolean {
  return operators.some(({ log }) => log.some(({ message }) => /revert|rolled out again/i.test(message)));
}

/** I2: a second restart for one change, although a pod of a later second or a record showed that it was not needed. */
export function withoutDoubt({ chronicle }: Storm): string[] {
  return secondRestarts(chronicle).flatMap(({ what, inDoubt }) =>
    inDoubt ? [] : [`I2: ${what} is a second one for the same content, and nothing was in doubt`],
  );
}

/** I2: no more reloads than changes of the workload's sources; one more for each reverted rollout. */
export function tooMany(scene: Scene, { workloads }: Cast, undone: number): string[] {
  const { chronicle } = scene.stage;
  return workloads.flatMap((ref) => {
    const followed = new Set(Object.keys(scene.record(ref)?.s ?? {}));
    const changes = [
      ...SECRETS.filter((name) => followed.has(`secret/${name}`)).map((name) => scene.ref('Secret', name)),
      ...CONFIG_MAPS.filter((name) => followed.has(`cm/${name}`)).map((name) => scene.ref('ConfigMap', name)),
    ].reduce((sum, source) => sum + chronicle.of(source).length - 1, 0);
    const reloads = reloadEvents(chronicle, ref).length;
    return reloads <= changes + undone
      ? []
      : [`I2: ${ref.name} was reloaded ${reloads} times for ${changes} changes`];
  });
}

/** I12: at the end the status reports no problem, unless a source is missing. */
function statusIsTrue(scene: Scene, { config }: Cast): string[] {
  const missing = CONFIG_MAPS.some((name) => !scene.exists(scene.ref('ConfigMap', name)));
  const degraded = scene.condition(config, 'Degraded');
  const expected = missing ? 'True' : 'False';
  return degraded?.status === expected
    ? []
    : [
        `I12: Degraded is ${degraded?.status} (${degraded?.reason}: ${degraded?.message}), and should be ${expected}`,
      ];
}
