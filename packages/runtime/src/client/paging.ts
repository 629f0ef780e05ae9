/**
 * Lists in pages.
 *
 * An expired continue token (410) is thrown as a `GoneError`: whether to start again is the caller's decision. The server
 * may offer a newer token with it, in `error.status.metadata.continue`.
 */
import type { KubernetesObject, Stored } from '../model/types.ts';
import type { Client, ListOptions, ObjectList } from './client.ts';
import type { ResourceType } from './resource.ts';

/** How many objects a page of a list holds unless told otherwise. */
export const DEFAULT_PAGE_SIZE = 500;

/** Fetches each page on demand. All pages show the same snapshot. */
export async function* listPages<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  options: ListOptions = {},
): AsyncGenerator<ObjectList<T>, void, undefined> {
  let next: ListOptions = { limit: DEFAULT_PAGE_SIZE, ...options };
  for (;;) {
    const page = await client.list(type, next);
    yield page;
    if (page.metadata.continue === undefined) return;
    // The token fixes the version, and the server refuses a second version parameter.
    const { resourceVersion: _, resourceVersionMatch: __, ...rest } = next;
    next = { ...rest, continue: page.metadata.continue };
  }
}

/** All objects, page by page. They are all in memory at the end: prefer `listEach` for many. */
export async function listAll<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  options: ListOptions = {},
): Promise<ObjectList<T>> {
  const items: Stored<T>[] = [];
  let metadata = {};
  for await (const page of listPages(client, type, options)) {
    for (const item of page.items) items.push(item);
    metadata = page.metadata;
  }
  return { metadata, items };
}
