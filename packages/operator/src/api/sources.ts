/** Sources as lists show them: the workloads that are reloaded for them, and when they were last written. */

import { inLightPieces, inPieces } from '../pace/pieces.ts';
import { type SourceRef, sourceKey } from '../reloader/model/source.ts';
import type { World } from '../reloader/model/world.ts';
import type { Line } from './lines.ts';
import type { SourceAnswer, SourceLine } from './shapes.ts';
import { timeOf } from './times.ts';

export interface UsedSource {
  /** Lists are in this order. */
  readonly key: string;
  readonly source: SourceRef;
  readonly usedBy: number;
}

/** Every source that a workload is reloaded for, by name. */
export async function usedSources(lines: readonly Line[]): Promise<readonly UsedSource[]> {
  const found = new Map<
    string,
    Map<string, { readonly key: string; readonly source: SourceRef; usedBy: number }>
  >();
  await inLightPieces(lines, ({ sources }) => {
    for (const source of sources) {
      const key = sourceKey(source);
      const here = found.get(source.namespace) ?? new Map();
      const known = here.get(key);
      if (known) known.usedBy += 1;
      else found.set(source.namespace, here.set(key, { key, source, usedBy: 1 }));
    }
  });
  const sorted: UsedSource[] = [];
  // One namespace after the other: keys begin with it, and each sort is short.
  await inPieces([...found.keys()].sort(), (namespace) => {
    sorted.push(...[...(found.get(namespace)?.values() ?? [])].sort((a, b) => (a.key < b.key ? -1 : 1)));
  });
  return sorted;
}

export function sourceLine({ source, usedBy }: UsedSource, world: World): SourceLine {
  return { source, usedBy, ...sourceState(source, world) };
}

export function sourceState(ref: SourceRef, world: World): Pick<SourceAnswer, 'exists' | 'lastChanged'> {
  const state = world.source(ref);
  if (state.kind === 'present') return { exists: 'yes', lastChanged: timeOf(state.facts.writtenAt * 1000) };
  return { exists: state.kind === 'gone' ? 'no' : 'unknown' };
}
