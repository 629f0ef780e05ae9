/**
 * Which reloads a ReloaderConfig's status has not counted yet. Pure.
 *
 * The workloads' ledgers tell which reloads were made and who asked; the status keeps the last one it counted for each
 * workload. So a crash at any point between the two neither loses a reload nor counts it twice.
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
 * Those of `reloads` that are new, the oldest first and each once. By number; and by time where the numbers began
 * anew because the ledger was removed. Without a count to start from: those not before `since`.
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
