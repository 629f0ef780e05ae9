/** The place of a workload in the order: its wave, and whether it is among the first of a canary. Pure. */
import { FIXED_ANNOTATIONS } from '../../model/annotations.ts';
import type { ConfigFacts } from '../../model/config.ts';
import { parseWave } from '../../model/order.ts';
import type { SourceRef } from '../../model/source.ts';
import { refOf, type WorkloadFacts } from '../../model/workload.ts';
import type { World } from '../../model/world.ts';

/** The oldest config that watches the source and says something decides, then the annotation. */
export function waveOf(workload: WorkloadFacts, source: SourceRef, world: Pick<World, 'configsFor'>): number {
  const ref = refOf(workload);
  for (const config of world.configsFor(ref)) {
    const target = mayWatch(config, source)
      ? config.targets.find(
          ({ kind, namespace, name, wave }) =>
            wave !== undefined && kind === ref.kind && namespace === ref.namespace && name === ref.name,
        )
      : undefined;
    if (target?.wave !== undefined) return target.wave;
  }
  return parseWave(workload.annotations[FIXED_ANNOTATIONS.wave]) ?? 0;
}

export function goesFirst({ annotations }: WorkloadFacts): boolean {
  return annotations[FIXED_ANNOTATIONS.canary] === 'true';
}

const ordered = new WeakMap<ConfigFacts, boolean>();

export function hasWaves(config: ConfigFacts): boolean {
  let known = ordered.get(config);
  if (known === undefined) {
    known = config.targets.some(({ wave }) => wave !== undefined);
    ordered.set(config, known);
  }
  return known;
}

/** Names are looked at; what selectors find, anything may be. */
function mayWatch(config: ConfigFacts, { kind, name }: SourceRef): boolean {
  const { secrets, configMaps, resourceSelector, autoReloadAll } = config;
  if (resourceSelector || autoReloadAll) return true;
  return (kind === 'Secret' ? secrets : configMaps).includes(name);
}
