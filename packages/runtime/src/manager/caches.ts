/** Caches as runnables: they start before the work and stop after it. */
import type { InformerHealth } from '../cache/informer.ts';
import { resourceName } from '../client/resource.ts';
import { type Clock, sleep, systemClock } from '../clock/clock.ts';
import type { AnyInformer } from '../controller/sources.ts';
import { CacheSyncTimeoutError, inWords } from '../controller/sync.ts';
import type { Runnable } from '../lifecycle/runnable.ts';

/** The part of `InformerCache` that a manager needs. */
export interface CacheLike {
  run(signal: AbortSignal): Promise<void>;
  whenSynced(signal?: AbortSignal): Promise<void>;
  health(): ReadonlyMap<string, InformerHealth>;
}

/** How a manager runs a cache. */
export interface CacheRunnableOptions {
  readonly name?: string | undefined;
  readonly clock?: Clock | undefined;
  /** Whether later stages wait until it is synced. True unless given. */
  readonly required?: boolean | undefined;
  /** How long they wait before the manager fails. 2 minutes unless given. */
  readonly syncTimeoutMs?: number | undefined;
}

/**
 * A cache as a runnable of a manager. The options concern only the runnable; the informers'
 * logger and metrics were set when the cache was made.
 *
 * @example
 * ```ts
 * const cache = new InformerCache({ client, clock, logger, metrics });
 * manager.add(cacheRunnable(cache, { clock }), controller);
 * ```
 */
export function cacheRunnable(cache: CacheLike, options: CacheRunnableOptions = {}): Runnable {
  const { name = 'caches', clock = systemClock, required = true, syncTimeoutMs = 120_000 } = options;
  return {
    name,
    stage: 'caches',
    start: ({ stopping }) => cache.run(stopping),
    ...(required ? { ready: (signal) => whenSynced(cache, name, clock, syncTimeoutMs, signal) } : {}),
  };
}

/** Runs informers that are in no cache as one runnable. */
export function cacheOf(informers: Iterable<AnyInformer>): CacheLike {
  const all = [...new Set(informers)];
  return {
    run: async (signal) => {
      await Promise.all(all.map((informer) => informer.run(signal)));
    },
    whenSynced: async (signal) => {
      await Promise.all(all.map((informer) => informer.whenSynced(signal)));
    },
    health: () => new Map(all.map((informer) => [nameOf(informer), informer.health()])),
  };
}

function nameOf({ type, namespace }: AnyInformer): string {
  return `${resourceName(type)}${namespace ? ` in namespace ${namespace}` : ''}`;
}

async function whenSynced(
  cache: CacheLike,
  name: string,
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const giveUp = new AbortController();
  const onAbort = (): void => giveUp.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const tooLong = async (): Promise<never> => {
    await sleep(clock, timeoutMs, giveUp.signal);
    const missing = [...cache.health()].filter(([, { synced }]) => !synced);
    const list = missing.map(([informer, { state }]) => `${informer} is ${inWords(state)}`).join('; ');
    throw new CacheSyncTimeoutError(`${name}: not in sync within ${timeoutMs / 1000} s: ${list}`);
  };
  try {
    await Promise.race([cache.whenSynced(giveUp.signal), tooLong()]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    giveUp.abort(new Error('No longer waiting'));
  }
}
