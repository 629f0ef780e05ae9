/** Sources as lists show them: who is reloaded for them, and when they were last written. */
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
export function usedSources(lines: readonly Line[]): readonly UsedSource[] {
  const found = new Map<string, { readonly key: string; readonly source: SourceRef; usedBy: number }>();
  for (const { sources } of lines) {
    for (const source of sources) {
      const key = sourceKey(source);
      const known = found.get(key);
      if (known) known.usedBy += 1;
      else found.set(key, { key, source, usedBy: 1 });
    }
  }
  return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

export function sourceLine({ source, usedBy }: UsedSource, world: World): SourceLine {
  const { lastChanged } = sourceState(source, world);
  return { source, usedBy, ...(lastChanged !== undefined && { lastChanged }) };
}

export function sourceState(ref: SourceRef, world: World): Pick<SourceAnswer, 'exists' | 'lastChanged'> {
  const state = world.source(ref);
  if (state.kind === 'present') return { exists: 'yes', lastChanged: timeOf(state.facts.writtenAt * 1000) };
  return { exists: state.kind === 'gone' ? 'no' : 'unknown' };
}
