/**
 * Finds the reloads that a ReloaderConfig's status has not counted yet. Pure.
 *
 * The workloads' ledgers hold the reloads and the configs that asked for them; the status holds the last counted reload
 * of each workload. So a crash at any point between the two neither loses a reload nor counts it twice.
 */
export interface Reload {
  readonly seq: number;
  /** Seconds since the epoch. */
  readonly at: number;
}

/** `7@1893456000` */
export function formatCounted({ seq, at }: Reload): string {
  return `${seq}@${at}`;
}

export function parseCounted(text: string | undefined): Reload | undefined {
  const [, seq, at] = /^(\d{1,15})@(\d{1,15})$/.exec(text ?? '') ?? [];
  return seq && at ? { seq: Number(seq), at: Number(at) } : undefined;
}

/**
 * The uncounted ones of `reloads`, the oldest first and each once. Compared by number, and by time, because the numbers
 * restart if the ledger was removed. Without an earlier count: those from `since` on.
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
