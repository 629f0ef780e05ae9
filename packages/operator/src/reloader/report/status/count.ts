/**
 * Finds the reloads that a ReloaderConfig's status has not counted yet. Pure.
 *
 * The workloads' ledgers hold the reloads and the configs that asked for them; the status holds the highest number and
 * the latest time of the counted reloads of each workload. So a crash at any point between the two neither loses a
 * reload nor counts it twice.
 */
import type { ConfigFacts } from '../../model/config.ts';
import { configIdOf, formatCounted, type Reload } from '../../model/counted.ts';
import type { RecentReload } from '../../model/ledger.ts';

/**
 * True if this config asked for the reload, and not an earlier one of the same name. Without an id only the times can
 * tell, and they are of two clocks.
 */
export function isAskedBy(
  { configs, configIds, at }: Pick<RecentReload, 'configs' | 'configIds' | 'at'>,
  { metadata, createdAt }: Pick<ConfigFacts, 'metadata' | 'createdAt'>,
): boolean {
  const index = configs.indexOf(`${metadata.namespace}/${metadata.name}`);
  if (index < 0) return false;
  const id = configIds?.[index];
  return id === undefined ? at >= createdAt : id === configIdOf(metadata);
}

/**
 * The uncounted ones of `reloads`, the oldest first and each once. A counted one has neither a higher number nor a
 * later time than `counted`, even if its operator's clock was ahead of the next one's; the time finds reloads whose
 * numbers began again because all records were lost. Without an earlier count: those from `since` on.
 */
export function uncounted<R extends Reload>(
  reloads: readonly R[],
  counted: Reload | undefined,
  since: number,
): R[] {
  const isNew = ({ seq, at }: Reload): boolean =>
    counted ? seq > counted.seq || at > counted.at : at >= since;
  const unique = new Map<string, R>();
  for (const reload of reloads) if (isNew(reload)) unique.set(formatCounted(reload), reload);
  return [...unique.values()].sort((a, b) => a.at - b.at || a.seq - b.seq);
}

/** The new count of the status, once `fresh` are counted, too. */
export function countedWith(counted: Reload | undefined, fresh: readonly Reload[]): Reload | undefined {
  return fresh.reduce<Reload | undefined>(
    (known, { seq, at }) => ({ seq: Math.max(seq, known?.seq ?? 0), at: Math.max(at, known?.at ?? 0) }),
    counted,
  );
}
