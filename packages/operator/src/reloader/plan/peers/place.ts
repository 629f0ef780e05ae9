/** The place of a workload in the order: its wave, and whether it is among the first of a canary. Pure. */
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import type { ConfigFacts } from '../../model/config.ts';
import { parseWave } from '../../model/order.ts';
import type { SourceRef } from '../../model/source.ts';
import { refOf, type WorkloadFacts, workloadKey } from '../../model/workload.ts';
import type { World } from '../../model/world.ts';

/** The oldest config that watches the source and sets a wave decides, then the annotation. */
export function waveOf(workload: WorkloadFacts, source: SourceRef, world: Pick<World, 'configsFor'>): number {
  const ref = refOf(workload);
  for (const config of world.configsFor(ref)) {
    const wave = mayWatch(config, source) ? wavesOf(config).get(workloadKey(ref)) : undefined;
    if (wave !== undefined) return wave;
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

/** Sources that are listed by name are compared; a selector may match any source. */
function mayWatch(config: ConfigFacts, { kind, name }: SourceRef): boolean {
  const { resourceSelector, autoReloadAll } = config;
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
