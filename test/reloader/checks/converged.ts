/**
 * I2, second half, and I11: at rest, the last record about a source is its current content.
 * I6, one part: the operator leaves no Deployment paused.
 */
import type { Chronicle } from '../chronicle.ts';
import { sourceOf } from '../ledger-view.ts';
import { PAUSED_AT } from '../names.ts';
import { recordsOf } from '../records.ts';
import type { Allowance } from '../scene.ts';
import { contentAt, RELOADED_KINDS, writtenAt } from './history.ts';

export function converged(chronicle: Chronicle, { pending, paused }: Allowance): string[] {
  const broken: string[] = [];
  for (const ref of RELOADED_KINDS.flatMap((kind) => chronicle.refs(kind))) {
    const live = chronicle.now(ref);
    if (!live) continue;
    if (!paused && live.metadata.annotations?.[PAUSED_AT] !== undefined)
      broken.push(`I6: ${ref.kind}/${ref.name} is left paused`);
    if (pending) continue;
    const ledgers = recordsOf(chronicle, ref);
    for (const [key, entry] of Object.entries(ledgers.at(-1)?.ledger.s ?? {})) {
      const source = sourceOf(key, ref.namespace);
      // For an entry of some keys, or a source with its content elsewhere, the content as a whole proves nothing.
      if (entry.includes('#') || source.kind === 'SecretProviderClass') continue;
      const written = writtenAt(ledgers, key) ?? 0;
      const then = contentAt(chronicle, source, written);
      const now = contentAt(chronicle, source, Number.POSITIVE_INFINITY);
      if (then !== now)
        broken.push(`I2: ${ref.kind}/${ref.name} stands on an old ${source.kind} ${source.name}`);
    }
  }
  return broken;
}
