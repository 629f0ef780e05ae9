/**
 * A random small cluster: sources, workloads of all kinds with random annotations, configs, flags. One seed gives one
 * cluster.
 */
import type { KubernetesObject } from '@reloader/runtime';
import { createRandom } from '@reloader/runtime/testing';
import { fullNames, type Use, workload } from '../reloader/objects.ts';

export type Manifest = KubernetesObject & { apiVersion: string; kind: string };

export interface RandomCluster {
  readonly flags: readonly string[];
  readonly namespaceAnnotations: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly sources: readonly Manifest[];
  readonly workloads: readonly Manifest[];
  readonly configs: readonly Manifest[];
}

export const NAMESPACES = ['blue', 'green'] as const;
const NAMES = ['alpha', 'beta', 'alpha-2'] as const;
const KINDS = ['Deployment', 'Deployment', 'StatefulSet', 'DaemonSet', 'CronJob'] as const;

export class Dice {
  readonly #random: ReturnType<typeof createRandom>;

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random.next() * values.length)] as T;
  }

  some<T>(values: readonly T[], probability: number): T[] {
    return values.filter(() => this.chance(probability));
  }
}

const PROVIDED: Readonly<Record<string, readonly string[]>> = {
  auto: ['true', 'true', 'false', 'yes'],
  search: ['true'],
  'secret/auto': ['true', 'false'],
  'configmap/auto': ['true'],
  'secret/reload': ['alpha', 'alpha,beta', 'al.*', 'gamma', '['],
  'configmap/reload': ['beta', 'alpha.*', 'alpha,gamma', ''],
  'secrets.exclude.reloader.stakater.com/reload': ['alpha'],
  'configmaps.exclude.reloader.stakater.com/reload': ['beta'],
  ignore: ['true', 'false'],
  match: ['secret', 'configmap|secret', 'banana'],
  kind: ['configmap'],
  settle: ['3s', '0s', 'soon'],
  'batch-window': ['20s'],
  freeze: ['true', 'false'],
  keys: ['used'],
  'rollout-strategy': ['rollout'],
  'statefulset/pause-period': ['30s'],
};

export function randomAnnotations(dice: Dice, probability = 0.12): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, values] of Object.entries(PROVIDED))
    if (dice.chance(probability)) found[name] = dice.pick(values);
  if (dice.chance(0.4)) found.auto = 'true';
  return fullNames(found);
}

function randomUses(dice: Dice): Use[] {
  return [...NAMES.map((secret) => ({ secret })), ...NAMES.map((configMap) => ({ configMap }))]
    .filter(() => dice.chance(0.4))
    .map((use) => ({
      ...use,
      via: dice.pick(['envFrom', 'env', 'volume', 'init'] as const),
      key: dice.pick(['a', 'b']),
    }));
}

/** With a `probability`, each workload has at least one annotation. */
export function randomWorkloads(dice: Dice, count: number, probability?: number): Manifest[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = dice.pick(KINDS);
    const onTemplate = dice.chance(0.2);
    const random = randomAnnotations(dice, probability);
    const annotations =
      probability !== undefined && Object.keys(random).length === 0 ? fullNames({ auto: 'true' }) : random;
    const options = {
      uses: randomUses(dice),
      annotations: onTemplate ? {} : annotations,
      ...(onTemplate && { templateAnnotations: annotations }),
    };
    return workload(kind, `app-${index}`, dice.pick(NAMESPACES), options) as unknown as Manifest;
  });
}

export function randomSources(dice: Dice): Manifest[] {
  return NAMESPACES.flatMap((namespace) =>
    NAMES.flatMap((name) =>
      (['Secret', 'ConfigMap'] as const)
        .filter(() => dice.chance(0.85))
        .map((kind): Manifest => {
          const annotations = fullNames({
            ...(dice.chance(0.3) && { match: 'true' }),
            ...(dice.chance(0.1) && { ignore: 'true' }),
          });
          const labels: Record<string, string> = dice.chance(0.5) ? { team: 'core' } : {};
          const data = { a: dice.pick(['1', '2']), b: '1' };
          const content = kind === 'Secret' ? { stringData: data } : { data };
          return {
            apiVersion: 'v1',
            kind,
            metadata: { namespace, name, annotations, labels },
            ...content,
          } as Manifest;
        }),
    ),
  );
}

function randomConfig(dice: Dice, index: number, workloads: readonly Manifest[]): Manifest {
  const targets = dice.some(workloads, 0.4).map(({ kind, metadata }) => ({
    kind,
    name: metadata?.name,
    ...(dice.chance(0.8) && { namespace: metadata?.namespace }),
    ...(dice.chance(0.2) && { requireReference: true }),
    ...(dice.chance(0.2) && { pausePeriod: '30s' }),
  }));
  const named = dice.chance(0.7);
  const watchedResources = {
    ...(named && { secrets: dice.some([...NAMES, 'gamma'], 0.5), configMaps: dice.some(NAMES, 0.4) }),
    ...(dice.chance(0.3) && { resourceSelector: { matchLabels: { team: 'core' } } }),
    ...(dice.chance(0.2) && { namespaceSelector: {} }),
    ...(dice.chance(0.3) && { enableTargetedReload: true }),
  };
  return {
    apiVersion: 'reloader.stakater.com/v1alpha1',
    kind: 'ReloaderConfig',
    metadata: { namespace: dice.pick(NAMESPACES), name: `config-${index}` },
    spec: {
      watchedResources,
      targets: targets.slice(0, 6),
      ...(dice.chance(0.15) && { autoReloadAll: true }),
      ...(dice.chance(0.2) && { reloadOnCreate: true }),
      ...(dice.chance(0.2) && { reloadOnDelete: true }),
      ...(dice.chance(0.2) && { settle: '2s' }),
      ...(dice.chance(0.15) && { ignoreResources: [{ kind: 'Secret', name: dice.pick(NAMES) }] }),
      ...(dice.chance(0.15) && { matchLabels: { team: 'core' } }),
      ...(dice.chance(0.2) && { reloadStrategy: 'annotations' }),
    },
  } as Manifest;
}

const FLAGS: readonly (readonly string[])[] = [
  ['--auto-reload-all'],
  ['--reload-on-create=true'],
  ['--reload-on-delete=true'],
  ['--key-level'],
  ['--settle=0s'],
  ['--batch-window=5s'],
  ['--allow-cross-namespace'],
  ['--namespace-defaults'],
  ['--mode=observe'],
  ['--recreate=ignore'],
  ['--namespaces-to-ignore=green'],
  ['--cronjob-strategy=run'],
  ['--digest=sha1'],
  ['--resources-to-ignore=configmaps'],
];

export function randomCluster(seed: number): RandomCluster {
  const dice = new Dice(seed);
  const workloads = randomWorkloads(dice, 8);
  return {
    flags: dice.some(FLAGS, 0.12).flat(),
    namespaceAnnotations: Object.fromEntries(
      NAMESPACES.map((namespace) => [
        namespace,
        fullNames({
          ...(dice.chance(0.2) && { auto: 'true' }),
          ...(dice.chance(0.1) && { freeze: 'true' }),
          ...(dice.chance(0.2) && { 'allow-from': 'blue,green' }),
        }),
      ]),
    ),
    sources: randomSources(dice),
    workloads,
    configs: Array.from({ length: dice.pick([0, 1, 2]) }, (_, index) => randomConfig(dice, index, workloads)),
  };
}
