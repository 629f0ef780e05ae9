/**
 * May a ReloaderConfig reach into another namespace? Only if that namespace says so: whoever may create a config in
 * one namespace must neither restart the workloads of another nor learn when its Secrets change.
 *
 * The namespace that is reached into grants: the target's for reloading a workload, the source's for watching it. The
 * grant is the annotation `allow-from` with a comma list of namespaces, or the operator's flag for the whole cluster.
 * A Namespace that cannot be read grants nothing.
 */
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { World } from '../model/world.ts';
import { own, parseNames } from './own.ts';

export interface CrossNamespaceDenial {
  /** The namespace that would have to allow it. */
  readonly namespace: string;
  readonly message: string;
}

/** `reached`: the namespace of a target or of a source, or the target itself. Undefined: it is allowed. */
export function crossNamespaceDenied(
  config: Pick<ConfigFacts, 'metadata'>,
  reached: string | { readonly namespace: string },
  world: Pick<World, 'namespace'>,
  settings: Pick<ReloaderSettings, 'allowCrossNamespace'>,
): CrossNamespaceDenial | undefined {
  const namespace = typeof reached === 'string' ? reached : reached.namespace;
  const home = config.metadata.namespace;
  if (namespace === home || settings.allowCrossNamespace) return undefined;
  const facts = world.namespace(namespace);
  const allowed = parseNames(facts && own(facts.annotations, FIXED_ANNOTATIONS.allowFrom));
  if (allowed.has(home)) return undefined;
  // The same words for one that does not exist: whoever may write a config must not learn which namespaces there are.
  const message = `Namespace ${namespace} does not allow ReloaderConfigs of namespace ${home}, as far as the operator can see: annotate it with ${FIXED_ANNOTATIONS.allowFrom}: "${home}", or start the operator with --allow-cross-namespace`;
  return { namespace, message };
}
