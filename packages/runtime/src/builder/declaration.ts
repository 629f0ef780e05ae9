/** The builder's calls as data. The caches and the RBAC rules are derived from it. */
import { type ResourceType, resourceName } from '../client/resource.ts';
import type { Source } from '../controller/sources.ts';
import type { KubernetesObject, ObjectKey } from '../model/types.ts';
import type { KindOptions, Managed, MapToKeys, OperatorSettings, Pass, PassOutcome } from './types.ts';

export interface Watched {
  readonly type: ResourceType;
  readonly options: KindOptions<KubernetesObject>;
  /** Undefined for children, which map to their owner. */
  readonly map: MapToKeys<KubernetesObject, KubernetesObject> | undefined;
}

/** RBAC rules beyond the derived ones. */
export interface Need {
  readonly type: ResourceType;
  readonly verbs: readonly string[];
}

export interface Declaration<T extends Managed> {
  readonly type: ResourceType<T>;
  readonly settings: OperatorSettings<T>;
  readonly watched: readonly Watched[];
  /** Additional sources of requests. */
  readonly sources: readonly Source<ObjectKey>[];
  readonly needs: readonly Need[];
  readonly cleanup: ((pass: Pass<T>) => Promise<PassOutcome>) | undefined;
  readonly reconcile: (pass: Pass<T>) => Promise<PassOutcome>;
}

export function nameOf<T extends Managed>({
  type,
  settings,
}: Pick<Declaration<T>, 'type' | 'settings'>): string {
  return settings.name ?? type.kind.toLowerCase();
}

export function finalizerOf<T extends Managed>(declaration: Declaration<T>): string {
  const { type, settings } = declaration;
  if (settings.finalizer !== undefined) return settings.finalizer;
  if (type.group) return `${type.group}/${nameOf(declaration)}`;
  throw new TypeError(
    `${type.kind} operator: a cleanup needs a finalizer with a domain, which the core group has not: set one, as in operator(kind, { finalizer: 'example.com/${nameOf(declaration)}' })`,
  );
}

/** Labels of every child; the informer of the kind selects by them. */
export function childLabels<T extends Managed>(
  declaration: Pick<Declaration<T>, 'type' | 'settings' | 'watched'>,
  type: ResourceType,
): Readonly<Record<string, string>> {
  const owned = declaration.watched.find(
    (each) => !each.map && resourceName(each.type) === resourceName(type),
  );
  return owned?.options.labels ?? { 'app.kubernetes.io/managed-by': nameOf(declaration) };
}

/** A key without a namespace means the object's own namespace if the kind is namespaced. */
export function keyFor(
  type: ResourceType,
  name: string | ObjectKey,
  namespace: string | undefined,
): ObjectKey {
  if (typeof name !== 'string') return name;
  return type.namespaced && namespace ? { namespace, name } : { name };
}
