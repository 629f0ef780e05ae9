/** A client that reports its writes, so that cached reads show them. */
import type { Client, WriteOptions } from '../client/client.ts';
import { ApiError, ServerTimeoutError, TimeoutError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import { type KubernetesObject, keyOf, type ObjectKey, type Stored } from '../model/types.ts';
import type { WriteTracker } from './write-tracker.ts';

/**
 * The same client, but `tracker` is told about every write of an object or its status. Writes to other subresources,
 * dry runs and deletecollection are not tracked: the cache learns of them from the watch. `writer` identifies the
 * writer for `Overlay.isOwnWrite`.
 */
export function trackWrites(client: Client, tracker: WriteTracker, writer = ''): Client {
  const write = async <T extends KubernetesObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options: WriteOptions | undefined,
    send: () => Promise<Stored<T>>,
  ): Promise<Stored<T>> => {
    if (!isTracked(options)) return send();
    const end = tracker.begin(type, key);
    try {
      const object = await send();
      tracker.onWritten(type, object, writer);
      return object;
    } catch (error) {
      if (mayHaveHappened(error)) tracker.onUnknownOutcome(type, key);
      throw error;
    } finally {
      end();
    }
  };
  return {
    get: (type, key, options) => client.get(type, key, options),
    list: (type, options) => client.list(type, options),
    listEach: (type, onItem, options) => client.listEach(type, onItem, options),
    watch: (type, options) => client.watch(type, options),
    create: (type, object, options) =>
      write(type, keyOf(object), options, () => client.create(type, object, options)),
    update: (type, object, options) =>
      write(type, keyOf(object), options, () => client.update(type, object, options)),
    patch: (type, key, patch, options) =>
      write(type, key, options, () => client.patch(type, key, patch, options)),
    apply: (type, object, options) =>
      write(type, keyOf(object), options, () => client.apply(type, object, options)),
    async delete(type, key, options) {
      if (options?.dryRun) return client.delete(type, key, options);
      const end = tracker.begin(type, key);
      try {
        await client.delete(type, key, options);
        tracker.onDeleted(type, key, options?.preconditions?.uid);
      } catch (error) {
        if (mayHaveHappened(error)) tracker.onUnknownOutcome(type, key);
        throw error;
      } finally {
        end();
      }
    },
    deleteCollection: (type, options) => client.deleteCollection(type, options),
    raw: (request) => client.raw(request),
    close: () => client.close(),
  };
}

function isTracked(options: WriteOptions | undefined): boolean {
  return !options?.dryRun && (options?.subresource === undefined || options.subresource === 'status');
}

/** Without a plain answer of the server, the outcome of the write is unknown. */
function mayHaveHappened(error: unknown): boolean {
  if (error instanceof ServerTimeoutError || error instanceof TimeoutError) return true;
  return !(error instanceof ApiError);
}
