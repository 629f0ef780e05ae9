/**
 * The write fence: it stops writes of a leader that has lost its Lease without noticing.
 *
 * In: a client and a source of fences (an elector). Out: a client whose reads pass and whose writes are refused with
 * a `FenceError` unless this process leads and has renewed its Lease recently enough.
 *
 * Guarantees: no write starts at or after the deadline (start of the last successful renewal plus the renew
 * deadline), also not after a pause of the process; a write under way, with all its retries, is aborted when the
 * deadline passes without a renewal, or when the term ends. Another process can lead only after the lease duration,
 * which is longer. While renewals succeed, a slow write is not cut. Does not guarantee that an aborted write had no
 * effect: the API server may already have it, or get it from the buffers of a process that was paused directly after
 * the check. Writes that must not repeat or be late still need a precondition (resourceVersion, JSON patch `test`).
 */
import type { Client } from '../client/client.ts';
import type { Clock, Timer } from '../clock/clock.ts';

/** Until when this process certainly leads, and its epoch. */
export interface Fence {
  /** Increases with every change of leader: add it to a write to make a late one recognisable. */
  readonly epoch: number;
  /** On `clock.monotonic()`: from then on no write is allowed. */
  readonly deadline: number;
  /** Aborts when this term ends. */
  readonly signal: AbortSignal;
}

/** Answers whether this process leads: an elector. */
export interface FenceSource {
  /** Undefined while this process does not lead. */
  fence(): Fence | undefined;
}

/** The write was not sent, or was aborted, because another process may lead by now. */
export class FenceError extends Error {
  override name = 'FenceError';
}

const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

interface Guardable {
  readonly signal?: AbortSignal | undefined;
  readonly dryRun?: boolean | undefined;
}

/** A client whose writes are refused before they are sent if this process may no longer lead. */
export function fencedClient(client: Client, source: FenceSource, clock: Clock): Client {
  const write = <O extends Guardable, T>(
    what: string,
    options: O | undefined,
    send: (options: O & Guardable) => Promise<T>,
  ): Promise<T> =>
    // A dry run changes nothing, so it is always allowed.
    options?.dryRun ? send(options) : guarded(source, clock, what, options, send);

  return {
    get: (type, key, options) => client.get(type, key, options),
    list: (type, options) => client.list(type, options),
    listEach: (type, onItem, options) => client.listEach(type, onItem, options),
    watch: (type, options) => client.watch(type, options),
    close: () => client.close(),
    create: (type, object, options) =>
      write(`create ${type.kind}`, options, (bound) => client.create(type, object, bound)),
    update: (type, object, options) =>
      write(`update ${type.kind}`, options, (bound) => client.update(type, object, bound)),
    patch: (type, key, patch, options) =>
      write(`patch ${type.kind}`, options, (bound) => client.patch(type, key, patch, bound)),
    apply: (type, object, options) =>
      write(`apply ${type.kind}`, options, (bound) => client.apply(type, object, bound)),
    delete: (type, key, options) =>
      write(`delete ${type.kind}`, options, (bound) => client.delete(type, key, bound)),
    deleteCollection: (type, options) =>
      write(`delete ${type.plural}`, options, (bound) => client.deleteCollection(type, bound)),
    raw: (request) =>
      READ_METHODS.has(request.method.toUpperCase())
        ? client.raw(request)
        : write(`${request.method} ${request.path}`, request, (bound) =>
            client.raw({ ...request, ...bound }),
          ),
  };
}

async function guarded<O extends Guardable, T>(
  source: FenceSource,
  clock: Clock,
  what: string,
  options: O | undefined,
  send: (options: O & Guardable) => Promise<T>,
): Promise<T> {
  const fence = source.fence();
  if (!fence) throw new FenceError(`Refused to ${what}: this process does not lead`);
  const late = clock.monotonic() - fence.deadline;
  if (late >= 0) {
    throw new FenceError(
      `Refused to ${what}: the lease was not renewed in time (${Math.round(late)} ms past the write deadline)`,
    );
  }
  const watch = watchFence(source, fence, clock, what, options?.signal);
  try {
    const bound: O & Guardable = Object.assign({}, options, { signal: watch.signal });
    return await send(bound);
  } catch (error) {
    // Whatever error the client made of the abort, the caller must see a `FenceError`.
    throw watch.signal.reason instanceof FenceError ? watch.signal.reason : error;
  } finally {
    watch.dispose();
  }
}

/** Follows the fence during a write: a renewal extends the deadline, anything else aborts. */
function watchFence(
  source: FenceSource,
  fence: Fence,
  clock: Clock,
  what: string,
  parent: AbortSignal | undefined,
): { readonly signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const onParent = (): void => controller.abort(parent?.reason);
  const onTermEnd = (): void =>
    controller.abort(new FenceError(`Cut off ${what}: this process stopped leading`));
  const arm = (deadline: number): Timer => clock.setTimeout(onDeadline, deadline - clock.monotonic());
  const onDeadline = (): void => {
    const current = source.fence();
    if (current?.epoch === fence.epoch && current.deadline > clock.monotonic()) timer = arm(current.deadline);
    else
      controller.abort(
        new FenceError(`Cut off ${what}: the lease was not renewed before the write deadline`),
      );
  };
  let timer = arm(fence.deadline);
  parent?.addEventListener('abort', onParent, { once: true });
  fence.signal.addEventListener('abort', onTermEnd, { once: true });
  if (parent?.aborted) onParent();
  return {
    signal: controller.signal,
    dispose() {
      timer.cancel();
      parent?.removeEventListener('abort', onParent);
      fence.signal.removeEventListener('abort', onTermEnd);
    },
  };
}
