/**
 * Replays the writes of a history at the same virtual times, on a cluster started with the same seed. A deterministic
 * simulation reaches the same state; otherwise the first difference is reported.
 */
import type { VirtualClock } from '@reloader/runtime/testing';
import type { Handler } from '../request/request.ts';
import type { Store } from '../storage/store.ts';
import { type ChangeEntry, History, type HistoryEntry, type RequestEntry } from './history.ts';

/** A replayed change differs from the recorded one. */
export class ReplayError extends Error {
  override name = 'ReplayError';
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Throws a `ReplayError` at the first change that differs from the recorded one.
 *
 * @experimental
 */
export async function replay(
  recorded: readonly HistoryEntry[],
  cluster: { readonly clock: VirtualClock; readonly handler: Handler; readonly store: Store },
): Promise<void> {
  const { clock, handler, store } = cluster;
  const again = new History(clock);
  const stop = again.follow(store);
  try {
    for (const entry of recorded) {
      if (entry.kind !== 'request' || READS.has(entry.method)) continue;
      if (entry.at > clock.monotonic()) await clock.advance(entry.at - clock.monotonic());
      await send(handler, entry);
    }
    const last = recorded.at(-1)?.at ?? 0;
    if (last > clock.monotonic()) await clock.advance(last - clock.monotonic());
    compare(recorded.filter((entry) => entry.kind === 'change') as ChangeEntry[], again.changes());
  } finally {
    stop();
  }
}

async function send(handler: Handler, { method, path, headers, body }: RequestEntry): Promise<void> {
  await handler({ method, path, headers, ...(body !== undefined && { body }) });
}

function compare(before: readonly ChangeEntry[], after: readonly ChangeEntry[]): void {
  for (const [index, change] of before.entries()) {
    const other = after[index];
    if (other && JSON.stringify(identity(change)) === JSON.stringify(identity(other))) continue;
    const found = other ? `${other.type} ${other.resource} ${other.key}` : 'nothing';
    throw new ReplayError(
      `Change ${index + 1} of the history (${change.type} ${change.resource} ${change.key}) became ${found}`,
    );
  }
  if (after.length > before.length) {
    const extra = after[before.length];
    throw new ReplayError(`The replay made one change more: ${extra?.type} ${extra?.resource} ${extra?.key}`);
  }
}

function identity({ type, revision, resource, key, object }: ChangeEntry): unknown {
  return { type, revision, resource, key, object };
}
