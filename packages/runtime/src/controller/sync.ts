/** Waits for sources before the first reconcile; the error names the source that is not synced, and why. */
import type { InformerState } from '../cache/informer.ts';
import { type Clock, sleep } from '../clock/clock.ts';
import type { ObjectKey } from '../model/types.ts';
import type { AnyInformer, Source, SourceRegistration } from './sources.ts';

/** Sources did not deliver their initial objects in time. */
export class CacheSyncTimeoutError extends Error {
  override name = 'CacheSyncTimeoutError';
}

export interface AttachedSource<R extends ObjectKey> {
  readonly source: Source<R>;
  readonly registration: SourceRegistration;
}

export interface SyncOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The waiting controller, for the message. */
  readonly waiter: string;
}

/** How often to check whether handlers have caught up with their informer; they nearly always have. */
const LOOK_EVERY_MS = 50;

/** Resolves when all sources have delivered. Rejects with a `CacheSyncTimeoutError`, or the signal's reason. */
export async function waitForSources<R extends ObjectKey>(
  attached: readonly AttachedSource<R>[],
  options: SyncOptions,
): Promise<void> {
  const { clock, timeoutMs, signal, waiter } = options;
  const deadline = new AbortController();
  const onAbort = (): void => deadline.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = clock.setTimeout(() => {
    const missing = attached.filter(({ registration }) => !registration.synced);
    const list = missing.map(({ source }) => describe(source.name, source.informer)).join('; ');
    deadline.abort(
      new CacheSyncTimeoutError(`${waiter} did not start: not in sync within ${timeoutMs / 1000} s: ${list}`),
    );
  }, timeoutMs);
  try {
    signal.throwIfAborted();
    await Promise.all(attached.map((each) => waitForOne(each, clock, deadline.signal)));
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

async function waitForOne<R extends ObjectKey>(
  { source, registration }: AttachedSource<R>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  await source.informer?.whenSynced(signal);
  while (!registration.synced) await sleep(clock, LOOK_EVERY_MS, signal);
}

/** The informer and its state in words. */
export function describe(name: string, informer: AnyInformer | undefined): string {
  if (!informer) return name;
  const { state, synced } = informer.health();
  const where = informer.namespace ? ` in namespace ${informer.namespace}` : '';
  return `${name}${where} is ${inWords(state)}${synced ? ', its handlers are behind' : ''}`;
}

export function inWords(state: InformerState): string {
  switch (state.phase) {
    case 'forbidden':
      return `forbidden: grant list and watch (${state.error.message})`;
    case 'missing':
      return `not known to the server: install its CustomResourceDefinition (${state.error.message})`;
    case 'backing-off':
      return `failing: ${state.error.message}`;
    case 'stopped':
      return 'not running: add it to the manager, or run it';
    default:
      return state.phase;
  }
}
