/**
 * Namespaces: each gets its default ServiceAccount and the cluster's CA; a terminating one is emptied, waits for
 * finalizers of the remaining objects, and is then removed.
 */
import type { LocalEvent } from '../model/local-api.ts';
import type { KubeObject } from '../model/object.ts';
import type { SimulatedController, Simulation } from './controller.ts';
import { CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS, sameKind } from './kind-refs.ts';
import { timestamp, withCondition, writeStatus } from './status-writer.ts';
import type { Condition } from './types.ts';

const USER = 'system:serviceaccount:kube-system:namespace-controller';
const ROOT_CA = 'kube-root-ca.crt';

export function namespaceController({ api, clock }: Simulation, rootCa: () => string): SimulatedController {
  function* keysFor({ type, kind, object }: LocalEvent): Iterable<string> {
    if (sameKind(kind, NAMESPACES)) {
      if (type !== 'DELETED') yield object.metadata.name;
      return;
    }
    const { namespace } = object.metadata;
    if (type === 'DELETED' && namespace) yield namespace;
    else if (namespace && sameKind(kind, CONFIG_MAPS) && object.metadata.name === ROOT_CA) yield namespace;
  }

  function sync(name: string): number | undefined {
    const namespace = api.get(NAMESPACES, { name });
    if (!namespace) return undefined;
    if (namespace.metadata.deletionTimestamp) return empty(namespace);
    furnish(name);
    return undefined;
  }

  function furnish(namespace: string): void {
    if (!api.get(SERVICE_ACCOUNTS, { namespace, name: 'default' })) {
      const metadata = { name: 'default', namespace };
      api.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }, USER);
    }
    const data = { 'ca.crt': rootCa() };
    const existing = api.get(CONFIG_MAPS, { namespace, name: ROOT_CA });
    if (!existing) {
      const metadata = { name: ROOT_CA, namespace };
      api.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, USER);
    } else if ((existing.data as Record<string, string> | undefined)?.['ca.crt'] !== data['ca.crt']) {
      api.update(CONFIG_MAPS, { ...existing, data }, USER);
    }
  }

  function empty(namespace: KubeObject): number | undefined {
    const { name } = namespace.metadata;
    const held: string[] = [];
    for (const kind of api.kinds()) {
      if (!kind.namespaced) continue;
      for (const object of api.list(kind, name)) {
        if (!object.metadata.deletionTimestamp) api.delete(kind, object.metadata, {}, USER);
        const left = api.get(kind, object.metadata);
        if (left) held.push(kind.plural);
      }
    }
    if (held.length === 0) api.finalizeNamespace(name);
    else report(namespace, held);
    return undefined;
  }

  /** Reports in its conditions what a terminating namespace waits for. */
  function report(namespace: KubeObject, held: readonly string[]): void {
    const live = api.get(NAMESPACES, namespace.metadata);
    if (!live) return;
    const counts = new Map<string, number>();
    for (const plural of held) counts.set(plural, (counts.get(plural) ?? 0) + 1);
    const list = [...counts].map(([plural, count]) => `${plural} has ${count} resource instances`).join(', ');
    const remaining: Condition = {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${list}`,
    };
    const status = live.status as { conditions?: Condition[] } | undefined;
    const conditions = withCondition(status?.conditions, remaining, timestamp(clock.now()));
    writeStatus(api, NAMESPACES, live, { ...status, conditions }, USER);
  }

  return { name: 'namespace-controller', keysFor, sync };
}
