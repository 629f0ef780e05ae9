/**
 * Decides whether a ReloaderConfig may reach into another namespace: only if that namespace allows it. A user who may
 * create configs in one namespace must neither restart workloads of another nor learn when its Secrets change.
 *
 * The target's namespace grants reloads of a workload, the source's namespace grants watching it. The grant is the
 * annotation `allow-from` with a comma-separated list of namespaces, or the operator's flag for the whole cluster. A
 * Namespace that cannot be read grants nothing.
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

/** `reached`: the namespace of a target or of a source, or the target itself. Undefined: access is allowed. */
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
  // The message is the same if the namespace does not exist: an author of configs must not learn which ones exist.
  const message = `Namespace ${namespace} does not allow ReloaderConfigs of namespace ${home}, as far as the operator can see: annotate it with ${FIXED_ANNOTATIONS.allowFrom}: "${home}", or start the operator with --allow-cross-namespace`;
  return { namespace, message };
}
