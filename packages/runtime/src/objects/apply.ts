/**
 * Server-side apply that sends nothing if there is nothing to do.
 *
 * In: the intent, and if possible the live object from a cache. Out: what was done. Guarantees: if the live object's
 * managedFields show that nothing would change, no request is sent (and no read, given a cached object). If they
 * leave a doubt (a quantity that the server writes differently, a default inside an atomic value), one apply is sent,
 * and its answer remembered until the object or the intent changes. It never skips an apply that would change
 * something.
 */
import type { Client } from '../client/client.ts';
import { apiVersionOf, objectPath, type ResourceType } from '../client/resource.ts';
import { type KubernetesObject, keyOf, type Stored } from '../model/types.ts';
import { answersOf, fingerprintOf, remember } from './answers.ts';
import { appliedFields, applyIsNoop, type FieldOwner, ownedValues } from './field-ownership.ts';
import { getIfExists } from './read.ts';

/** Options of an apply. */
export interface ApplyOptions<T extends KubernetesObject> {
  /** Our field manager; one per controller, never changed. */
  readonly fieldManager: string;
  /** The object as cached (with managedFields), or null if it is not cached: saves the read. */
  readonly live?: Stored<T> | null | undefined;
  /** Force: take fields over from other field managers. Default true, as controllers should. */
  readonly force?: boolean | undefined;
  readonly subresource?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of an apply. */
export interface Apply<T extends KubernetesObject> {
  readonly operation: 'none' | 'created' | 'applied';
  readonly object: Stored<T>;
}

/**
 * Server-side apply that sends nothing while the object holds everything that we want and own.
 *
 * @example
 * ```ts
 * const intent = { metadata: { namespace, name, labels: { app: name } }, data: { colour: 'blue' } };
 * const live = configMaps.store.get({ namespace, name }) ?? null;
 * await applyIfChanged(client, kinds.ConfigMap, intent, { fieldManager: 'my-operator', live });
 * ```
 *
 * @experimental
 */
export async function applyIfChanged<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  intent: T,
  options: ApplyOptions<T>,
): Promise<Apply<T>> {
  const { fieldManager, force = true, subresource, signal } = options;
  const live =
    options.live === undefined ? await getIfExists(client, type, keyOf(intent), signal) : options.live;
  const body = { ...intent, apiVersion: apiVersionOf(type), kind: type.kind };
  const owner: FieldOwner = { manager: fieldManager, apiVersion: body.apiVersion, subresource };
  const memo = answersOf(client);
  const slot = `${fieldManager} ${objectPath(type, keyOf(intent), subresource)}`;
  if (live) {
    const fields = appliedFields(live, owner);
    if (fields && applyIsNoop(intent, live, fields)) return { operation: 'none', object: live };
    if (memo.get(slot) === fingerprint(live, body, owner)) return { operation: 'none', object: live };
  }
  const object = await client.apply(type, body, {
    fieldManager,
    force,
    ...(subresource && { subresource }),
    ...(signal && { signal }),
  });
  remember(memo, slot, fingerprint(object, body, owner));
  if (!live) return { operation: 'created', object };
  const same = live.metadata.resourceVersion === object.metadata.resourceVersion;
  return { operation: same ? 'none' : 'applied', object };
}

/**
 * Keyed by the intent and by the object's values of our fields, not by its version: others write status, annotations
 * and the like all the time, which an apply does not touch.
 */
function fingerprint(object: Stored<KubernetesObject>, intent: object, owner: FieldOwner): string {
  const fields = appliedFields(object, owner);
  const held = fields ? [fields, ownedValues(object, fields)] : object.metadata.resourceVersion;
  return fingerprintOf(object.metadata.uid, held, intent);
}
