/** Sources as lists show them: who is reloaded for them, and when they were last written. */
import { type SourceRef, sourceKey } from '../reloader/model/source.ts';
import type { World } from '../reloader/model/world.ts';
import type { Line } from './lines.ts';
import type { SourceAnswer, SourceLine } from './shapes.ts';
import { timeOf } from './times.ts';

/** Every source that a workload is reloaded for, by name. */
export function sourceLines(lines: readonly Line[], world: World): SourceLine[] {
  const found = new Map<string, { readonly source: SourceRef; usedBy: number }>();
  for (const { line } of lines) {
    for (const source of line.sources) {
      const key = sourceKey(source);
      const known = found.get(key);
      if (known) known.usedBy += 1;
      else found.set(key, { source, usedBy: 1 });
    }
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { source, usedBy }]) => {
      const { lastChanged } = sourceState(source, world);
      return { source, usedBy, ...(lastChanged !== undefined && { lastChanged }) };
    });
}

export function sourceState(ref: SourceRef, world: World): Pick<SourceAnswer, 'exists' | 'lastChanged'> {
  const state = world.source(ref);
  if (state.kind === 'present') return { exists: 'yes', lastChanged: timeOf(state.facts.writtenAt * 1000) };
  return { exists: state.kind === 'gone' ? 'no' : 'unknown' };
}
