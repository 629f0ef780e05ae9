/** Projection: turns what the server sends into what the cache stores. */
import { apiVersionOf, type ResourceType } from '../client/resource.ts';
import type { KubernetesObject, Stored } from '../model/types.ts';
import type { Cached } from './informer.ts';

/**
 * Returns the part of an object that is cached. It runs on arrival, before anything else is kept, and must carry over
 * `metadata.name`, `namespace`, `uid` and `resourceVersion`. Pure and idempotent; called again for the last state of
 * a deleted object. Keep no substring of a long text: V8 keeps the whole text alive for it.
 */
export type Projection<T extends KubernetesObject, C extends Cached> = (object: Stored<T>) => C;

/** A projection dropped a field that identifies the object. */
export class ProjectionError extends Error {
  override name = 'ProjectionError';
}

const IDENTITY = ['name', 'namespace', 'uid', 'resourceVersion'] as const;

export interface ProjectionOptions<T extends KubernetesObject, C extends Cached> {
  readonly type: ResourceType<T>;
  readonly project?: Projection<T, C> | undefined;
  /** Deep-freezes cached objects, so that a consumer that modifies one gets an exception. For development. */
  readonly freeze?: boolean | undefined;
}

/** The projection with checks of its result, and with repeated strings shared. */
export function projectionOf<T extends KubernetesObject, C extends Cached>(
  options: ProjectionOptions<T, C>,
): Projection<T, C> {
  const { type, freeze = false } = options;
  // Without a projection the cached type is the object's own type: see `createInformer`.
  const project = options.project ?? ((object: Stored<T>) => object as unknown as C);
  const apiVersion = apiVersionOf(type);
  return (object) => {
    const { metadata } = object;
    // Lists name the kind once for all items, watches in each, and metadata-only reads call it something else.
    object.apiVersion = apiVersion;
    object.kind = type.kind;
    if (metadata.namespace !== undefined) metadata.namespace = shared(metadata.namespace);
    const kept = project(object);
    for (const field of IDENTITY) {
      if (kept.metadata[field] === metadata[field]) continue;
      throw new ProjectionError(
        `The projection of ${object.kind} "${metadata.name}" lost metadata.${field}: it must carry over ${IDENTITY.join(', ')}`,
      );
    }
    if (freeze) freezeDeep(kept);
    return kept;
  };
}

/** The identity alone: the smallest projection, and a start for your own. */
export function identityOf(object: Stored<KubernetesObject>): Cached['metadata'] {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return namespace === undefined ? { name, uid, resourceVersion } : { name, namespace, uid, resourceVersion };
}

/**
 * Namespaces are few and every object repeats one; the limit is for a cluster that creates and deletes them for
 * years.
 */
const SHARED_LIMIT = 10_000;
const sharedTexts = new Map<string, string>();

function shared(text: string): string {
  const known = sharedTexts.get(text);
  if (known !== undefined) return known;
  if (sharedTexts.size >= SHARED_LIMIT) sharedTexts.clear();
  sharedTexts.set(text, text);
  return text;
}

function freezeDeep(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  // A typed array with elements cannot be frozen, and has nothing below it.
  if (ArrayBuffer.isView(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freezeDeep(inner);
}
