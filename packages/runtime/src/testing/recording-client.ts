/** A client that records writes, for tests that count them. */
import type { Client } from '../client/client.ts';
import { type ResourceType, resourceName } from '../client/resource.ts';
import { type KubernetesObject, keyOf, keyString, type ObjectKey } from '../model/types.ts';

/** One write: the verb and the object. */
export interface RecordedWrite {
  readonly verb: 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deleteCollection' | 'raw';
  /** `deployments.apps default/web`, with the subresource where there is one. */
  readonly target: string;
  /** The request body, if any. */
  readonly body: unknown;
  readonly dryRun: boolean;
}

/** A client and its recorded writes. */
export interface RecordingClient {
  /** Forwards everything to the wrapped client. */
  readonly client: Client;
  /** Every write so far, oldest first, also those that failed. */
  readonly writes: readonly RecordedWrite[];
  /** Returns the writes so far and clears them. */
  takeWrites(): RecordedWrite[];
}

interface Options {
  readonly subresource?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly namespace?: string | undefined;
}

/** A client that records every write. */
export function recordWrites(inner: Client): RecordingClient {
  const writes: RecordedWrite[] = [];
  const record = (
    verb: RecordedWrite['verb'],
    type: ResourceType,
    key: ObjectKey | undefined,
    body: unknown,
    options: Options = {},
  ): void => {
    const where = key ? keyString(key) : `in ${options.namespace ?? 'all namespaces'}`;
    const part = options.subresource ? ` (${options.subresource})` : '';
    writes.push({
      verb,
      target: `${resourceName(type)} ${where}${part}`,
      body,
      dryRun: options.dryRun ?? false,
    });
  };
  const keyOfNew = (object: KubernetesObject): ObjectKey => {
    const key = keyOf(object);
    return key.name ? key : { ...key, name: `${object.metadata?.generateName ?? ''}*` };
  };
  const client: Client = {
    get: (type, key, options) => inner.get(type, key, options),
    list: (type, options) => inner.list(type, options),
    listEach: (type, onItem, options) => inner.listEach(type, onItem, options),
    watch: (type, options) => inner.watch(type, options),
    create(type, object, options) {
      record('create', type, keyOfNew(object), object, options);
      return inner.create(type, object, options);
    },
    update(type, object, options) {
      record('update', type, keyOf(object), object, options);
      return inner.update(type, object, options);
    },
    patch(type, key, patch, options) {
      record('patch', type, key, patch, options);
      return inner.patch(type, key, patch, options);
    },
    apply(type, object, options) {
      record('apply', type, keyOf(object), object, options);
      return inner.apply(type, object, options);
    },
    delete(type, key, options) {
      record('delete', type, key, undefined, options);
      return inner.delete(type, key, options);
    },
    deleteCollection(type, options) {
      record('deleteCollection', type, undefined, undefined, options);
      return inner.deleteCollection(type, options);
    },
    raw(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        writes.push({
          verb: 'raw',
          target: `${request.method} ${request.path}`,
          body: request.body,
          dryRun: false,
        });
      }
      return inner.raw(request);
    },
    close: () => inner.close(),
  };
  return { client, writes, takeWrites: () => writes.splice(0) };
}

/**
 * Runs twice and fails if the second run writes anything. `run` gets the client to use. Dry runs do not count.
 * Returns the writes of the first run.
 */
export async function assertIdempotent(
  client: Client,
  run: (client: Client) => Promise<unknown>,
): Promise<RecordedWrite[]> {
  const recording = recordWrites(client);
  await run(recording.client);
  const first = recording.takeWrites();
  await run(recording.client);
  const second = recording.takeWrites().filter(({ dryRun }) => !dryRun);
  if (second.length > 0) {
    const list = second.map(({ verb, target, body }) => `  ${verb} ${target} ${shorten(body)}`).join('\n');
    throw new Error(`Not idempotent: the second run wrote ${second.length} time(s):\n${list}`);
  }
  return first;
}

function shorten(body: unknown): string {
  const text = JSON.stringify(body) ?? '';
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}
