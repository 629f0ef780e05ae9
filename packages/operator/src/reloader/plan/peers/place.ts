/** The place of a workload in the order: its wave, and whether it is among the first of a canary. Pure. */
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import type { ConfigFacts } from '../../model/config.ts';
import { parseWave } from '../../model/order.ts';
import type { ReloaderSettings } from '../../model/settings.ts';
import type { SourceRef } from '../../model/source.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../../model/workload.ts';
import type { World } from '../../model/world.ts';
import { crossNamespaceDenied } from '../../want/cross-namespace.ts';

/**
 * The oldest config that watches the source and sets a wave decides, then the annotation. A config that may not reach
 * the workload sets nothing: otherwise a tenant could hold the workloads of another one.
 */
export function waveOf(
  workload: WorkloadFacts,
  source: SourceRef,
  world: Pick<World, 'configsFor' | 'namespace'>,
  settings: Pick<ReloaderSettings, 'allowCrossNamespace'>,
): number {
  const ref = refOf(workload);
  for (const config of world.configsFor(ref)) {
    const wave = mayWatch(config, source, ref) ? wavesOf(config).get(workloadKey(ref)) : undefined;
    if (wave !== undefined && !crossNamespaceDenied(config, ref, world, settings)) return wave;
  }
  return parseWave(workload.annotations[FIXED_ANNOTATIONS.wave]) ?? 0;
}

export function goesFirst({ annotations }: WorkloadFacts): boolean {
  return annotations[FIXED_ANNOTATIONS.canary] === 'true';
}

/** By the key of each target that sets a wave. Cached: a config has hundreds of targets, and each pass asks for all. */
const waves = new WeakMap<ConfigFacts, ReadonlyMap<string, number>>();

function wavesOf(config: ConfigFacts): ReadonlyMap<string, number> {
  let known = waves.get(config);
  if (!known) {
    const said = config.targets.flatMap((target) =>
      target.wave === undefined ? [] : [[workloadKey(target), target.wave] as const],
    );
    // If a workload has several entries, the first counts.
    known = new Map(said.reverse());
    waves.set(config, known);
  }
  return known;
}

export function hasWaves(config: ConfigFacts): boolean {
  return wavesOf(config).size > 0;
}

/** Sources that are listed by name are compared; a selector may match any source of the namespaces that it applies to. */
function mayWatch(config: ConfigFacts, { kind, namespace, name }: SourceRef, target: WorkloadRef): boolean {
  const { resourceSelector, namespaceSelector, autoReloadAll, metadata } = config;
  if (autoReloadAll && namespace === target.namespace) return true;
  if (!namespaceSelector && namespace !== metadata.namespace) return false;
  if (resourceSelector || autoReloadAll) return true;
  const { secrets, configMaps } = namesIn(config);
  return (kind === 'Secret' ? secrets : configMaps).has(name);
}

interface Names {
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
}

/** Cached: a config names up to a thousand sources, and each pass asks for all peers. */
const names = new WeakMap<ConfigFacts, Names>();

function namesIn(config: ConfigFacts): Names {
  let known = names.get(config);
  if (!known) {
    known = { secrets: new Set(config.secrets), configMaps: new Set(config.configMaps) };
    names.set(config, known);
  }
  return known;
}
