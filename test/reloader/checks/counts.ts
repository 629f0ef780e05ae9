/** I12, one part: the count of a ReloaderConfig is the number of reloads whose ledgers name it. */
import type { Chronicle } from '../chronicle.ts';
import type { Allowance, ConfigStatus } from '../scene.ts';
import { RELOADED_KINDS, reloadsOf } from './history.ts';

export function countsAreTrue(chronicle: Chronicle, { pending }: Allowance): string[] {
  if (pending) return [];
  const reloads = RELOADED_KINDS.flatMap((kind) => chronicle.refs(kind)).flatMap((ref) =>
    reloadsOf(chronicle, ref),
  );
  return chronicle.refs('ReloaderConfig').flatMap((ref) => {
    const live = chronicle.now(ref);
    if (!live) return [];
    const counted = (live.status as ConfigStatus | undefined)?.reloadCount ?? 0;
    const real = reloads.filter(({ ledger }) =>
      ledger.recent?.some(({ n, c }) => n === ledger.seq && c?.includes(`${ref.namespace}/${ref.name}`)),
    ).length;
    return counted === real ? [] : [`I12: ${ref.name} counts ${counted} reloads, there were ${real}`];
  });
}
