/** Namespace lifecycle: objects need an existing namespace, and none are created in a terminating one. */
import type { Kind } from '../../kinds/index.ts';
import { forbidden, notFound, StatusError } from '../../model/status.ts';
import type { Cluster } from '../cluster.ts';
import { resourceOf } from './write-options.ts';

const NAMESPACES = { group: '', resource: 'namespaces' };
/** These cannot be deleted. */
const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

/** Throws if an object of `kind` cannot be created in `namespace`. */
export function checkNamespace(cluster: Cluster, kind: Kind, namespace: string, name: string): void {
  const object = cluster.store.get('namespaces', namespace);
  if (!object) throw notFound(NAMESPACES, namespace);
  if (object.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const error = forbidden(resourceOf(kind), name, why);
  throw new StatusError(403, 'Forbidden', error.message, {
    ...error.body.details,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
}

/** Throws for namespaces that cannot be deleted. */
export function checkNamespaceDeletion(name: string): void {
  if (IMMORTAL.has(name)) throw forbidden(NAMESPACES, name, 'this namespace may not be deleted');
}
