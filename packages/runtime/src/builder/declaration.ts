/** What a builder was told, as data: from this everything else follows, the caches as well as the rights. */
import { type ResourceType, resourceName } from '../client/resource.ts';
import type { Source } from '../controller/sources.ts';
import type { KubernetesObject, ObjectKey } from '../model/types.ts';
import type { KindOptions, Managed, MapToKeys, OperatorSettings, Pass, PassOutcome } from './types.ts';

export interface Watched {
  readonly type: ResourceType;
  readonly options: KindOptions<KubernetesObject>;
  /** Undefined for what the operator's objects own. */
  readonly map: MapToKeys<KubernetesObject, KubernetesObject> | undefined;
}

/** Rights beyond those that follow from the rest. */
export interface Need {
  readonly type: ResourceType;
  readonly verbs: readonly string[];
}

export interface Declaration<T extends Managed> {
  readonly type: ResourceType<T>;
  readonly settings: OperatorSettings<T>;
  readonly watched: readonly Watched[];
  /** Further reasons to look at an object. */
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
  return declaration.settings.finalizer ?? `${declaration.type.group}/${nameOf(declaration)}`;
}

/** Every child carries these, and the caches hold nothing else of its kind. */
export function childLabels<T extends Managed>(
  declaration: Pick<Declaration<T>, 'type' | 'settings' | 'watched'>,
  type: ResourceType,
): Readonly<Record<string, string>> {
  const owned = declaration.watched.find(
    (each) => !each.map && resourceName(each.type) === resourceName(type),
  );
  return owned?.options.labels ?? { 'app.kubernetes.io/managed-by': nameOf(declaration) };
}

/** A name alone means the object's own namespace, where the kind has any. */
export function keyFor(
  type: ResourceType,
  name: string | ObjectKey,
  namespace: string | undefined,
): ObjectKey {
  if (typeof name !== 'string') return name;
  return type.namespaced && namespace ? { namespace, name } : { name };
}
