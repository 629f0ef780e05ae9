/**
 * The last reload that a ReloaderConfig's status has counted for a workload. Numbers of reloads come from one record;
 * their times come from the clocks of different processes, and the config's creation from that of the API server, so
 * numbers and uids decide where they can.
 */
export interface Reload {
  readonly seq: number;
  /** Seconds since the epoch. */
  readonly at: number;
}

const ID_LENGTH = 8;

/** Distinguishes a config from an earlier one of the same name: the first characters of its uid. */
export function configIdOf({ uid }: { readonly uid: string }): string {
  return uid.slice(0, ID_LENGTH);
}

/** `7@1893456000` */
export function formatCounted({ seq, at }: Reload): string {
  return `${seq}@${at}`;
}

export function parseCounted(text: unknown): Reload | undefined {
  const [, seq, at] = /^(\d{1,15})@(\d{1,15})$/.exec(typeof text === 'string' ? text : '') ?? [];
  return seq && at ? { seq: Number(seq), at: Number(at) } : undefined;
}

/**
 * More reloads than any workload can have, and far below the highest number that a ledger may have: a forged status
 * must not use up the numbers.
 */
const MOST_COUNTED = 2 ** 30;

/** The highest number that the status of any of these configs has counted for the workload with this uid. */
export function highestCounted(
  configs: readonly { readonly status: Readonly<Record<string, unknown>> }[],
  uid: string,
): number {
  let highest = 0;
  for (const { status } of configs) {
    const counted = status.countedReloads as Readonly<Record<string, unknown>> | undefined;
    const { seq = 0 } = parseCounted(counted?.[uid]) ?? {};
    if (seq <= MOST_COUNTED) highest = Math.max(highest, seq);
  }
  return highest;
}
