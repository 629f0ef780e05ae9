/** The workloads, ReloaderConfigs and operators of one run of the campaign, drawn from its seed. */
import type { Random } from '@reloader/runtime/testing';
import type { Ref } from '../../reloader/chronicle.ts';
import type { Scene } from '../../reloader/scene.ts';
import { NAMESPACE, type Storm } from '../storm.ts';
import { speakersOf } from '../weather.ts';
import { type Cast, CONFIG_MAPS, SECRETS } from '../weather-actions.ts';
import { annotationsFor, type ConfigGates, drawConfigGates, drawGates, specFor } from './gates.ts';
import type { Judged, Ruling } from './judge.ts';

export const LONGEST_SKEW_MS = 300_000;

export interface Drawn {
  readonly cast: Cast;
  /** The Deployment that several ReloaderConfigs target. */
  readonly shared: Ref | undefined;
  readonly judged: readonly Judged[];
  readonly skewOf: (user: string) => number;
  /** For the message of a failed run. */
  readonly gates: object;
}

export async function setUpCampaign(scene: Scene, storm: Storm, random: Random): Promise<Drawn> {
  const shared = random.chance(0.3) ? await speakersOf(scene, storm) : undefined;
  const namespace = { kind: 'Namespace', namespace: '', name: scene.namespace };
  await scene.merge(namespace, { metadata: { labels: { reload: 'yes' } } });
  const slots = random.chance(0.3) ? 1 + random.int(2) : undefined;
  if (slots !== undefined) await scene.annotate(namespace, { 'max-concurrent': String(slots) });
  for (const name of SECRETS) await scene.secret(name, { value: 'a' });
  for (const name of CONFIG_MAPS) await scene.configMap(name, { value: 'a' });
  const all = [...SECRETS.map((secret) => ({ secret })), ...CONFIG_MAPS.map((configMap) => ({ configMap }))];
  const uses = () => all.filter(() => random.chance(0.6)).concat({ secret: 'db' });

  const judged: Judged[] = [];
  const annotated = async (kind: string, name: string, replicas: number): Promise<Ref> => {
    const gates = drawGates(random);
    const annotations = { auto: 'true', ...annotationsFor(gates) };
    const workload = await scene.workload(kind, name, { annotations, uses: uses(), replicas });
    judged.push({ workload, rulings: [{ by: 'its annotations', gates, sources: 'all' }] });
    return workload;
  };
  const workloads = [
    await annotated('Deployment', 'web', 2),
    await annotated('StatefulSet', 'store', 1),
    await annotated('DaemonSet', 'agent', 1),
    await scene.deployment('target', { uses: uses() }),
    await scene.deployment('second-target', { uses: uses() }),
    ...(shared ? [shared] : []),
  ];
  const [, , , target, secondTarget] = workloads as [Ref, Ref, Ref, Ref, Ref];

  const first = drawConfigGates(random);
  const config = await scene.config('config', {
    watchedResources: { secrets: SECRETS, configMaps: CONFIG_MAPS },
    targets: [
      { kind: 'Deployment', name: 'target', ...(first.wave !== undefined && { wave: first.wave }) },
      { kind: 'Deployment', name: 'second-target' },
    ],
    ...specFor(first),
  });
  await storm.quiet(1_000);
  // A second one for the same target and one of its sources.
  const second = compatibleWith(first, drawConfigGates(random));
  await scene.config('config-b', {
    watchedResources: { secrets: ['db'] },
    targets: [{ kind: 'Deployment', name: 'target' }],
    ...specFor(second),
  });
  const ofConfig: Ruling = { by: 'config', gates: first, sources: 'all' };
  judged.push(
    { workload: target, rulings: [ofConfig, { by: 'config-b', gates: second, sources: ['secret/db'] }] },
    { workload: secondTarget, rulings: [ofConfig] },
  );

  const pair = random.chance(0.7);
  const skews = { reloader: skew(random), second: skew(random) };
  // The two clocks differ by five minutes at most, so each differs from the server's by at most half of that.
  const args = [
    '--namespace-selector=reload=yes',
    ...(pair ? ['--enable-ha=true'] : []),
    ...(random.chance(0.3) ? ['--max-unfinished-rollouts=2'] : []),
  ];
  await storm.startOperator({ args, name: 'reloader', unready: true, skewMs: skews.reloader });
  if (pair) await storm.startOperator({ args, name: 'second', unready: true, skewMs: skews.second });
  await storm.until('all to be adopted', () => workloads.every((ref) => scene.record(ref)), 600_000);
  const skewOf = (user: string): number =>
    user === `system:serviceaccount:${NAMESPACE}:second` ? skews.second : skews.reloader;
  const gates = { ...Object.fromEntries(judged.map(({ workload, rulings }) => [workload.name, rulings])) };
  return {
    cast: { workloads, config },
    shared,
    judged,
    skewOf,
    gates: { slots, pair, skews, args, ...gates },
  };
}

/** A window that allows reloads only while one of another config denies them would hold its changes for ever. */
function compatibleWith(first: ConfigGates, drawn: ConfigGates): ConfigGates {
  const { window, ...rest } = drawn;
  const hasDeadline = first.maxWaitMinutes !== undefined || drawn.maxWaitMinutes !== undefined;
  const isOpposite = window !== undefined && first.window !== undefined && window !== first.window;
  return isOpposite && !hasDeadline ? rest : drawn;
}

function skew(random: Random): number {
  return random.chance(0.5) ? random.int(LONGEST_SKEW_MS) - LONGEST_SKEW_MS / 2 : 0;
}
