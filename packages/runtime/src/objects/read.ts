import type { Client } from '../client/client.ts';
import { NotFoundError } from '../client/errors.ts';
import type { ResourceType } from '../client/resource.ts';
import type { KubernetesObject, ObjectKey, Stored } from '../model/types.ts';

/** A live read that returns undefined for an object that does not exist. */
export async function getIfExists<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  key: ObjectKey,
  signal?: AbortSignal,
): Promise<Stored<T> | undefined> {
  try {
    return await client.get(type, key, signal ? { signal } : {});
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
