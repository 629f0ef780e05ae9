/** `LocalApi` on top of the operations that requests use. */

import { apiVersionOf, applyDefaults, type Kind, storageOf } from '../kinds/index.ts';
import { cloneJson } from '../model/json-clone.ts';
import type { KindRef, LocalApi, LocalEvent, ServedKind } from '../model/local-api.ts';
import type { KubeObject } from '../model/object.ts';
import { noSuchResource } from '../model/status.ts';
import { readTyped } from '../schema/typed.ts';
import { storageName } from '../storage/store.ts';
import type { Cluster } from './cluster.ts';
import { createObject } from './operations/create.ts';
import { deleteObject } from './operations/delete.ts';
import { readObject, updateObject } from './operations/update.ts';
import type { WriteOptions } from './operations/write-options.ts';
import { bindPod } from './subresources/binding.ts';
import { finalizeNamespace } from './subresources/finalize.ts';

const DEFAULT_USER = 'kube-controller-manager';

export function createLocalApi(cluster: Cluster): LocalApi {
  const kinds = new KindIndex(cluster);
  const change = (ref: KindRef, object: KubeObject, subresource: string, user: string): KubeObject => {
    const kind = kinds.get(ref);
    const next = readIn(kind, object);
    applyDefaults(kind, next);
    return updateObject(cluster, kind, next.metadata, () => next, writeOptions(user, subresource));
  };
  return {
    get: (ref, name) => readObject(cluster, kinds.get(ref), name),
    list(ref, namespace) {
      const kind = kinds.get(ref);
      const snapshot = cluster.store.now(storageName(storageOf(kind)));
      return snapshot.keys(namespace ? `${namespace}/` : '').flatMap((key) => {
        const stored = snapshot.get(key);
        return stored ? [kind.storage?.fromStored(stored) ?? stored] : [];
      });
    },
    create(ref, object, user = DEFAULT_USER) {
      const kind = kinds.get(ref);
      return createObject(cluster, kind, readIn(kind, object), writeOptions(user, ''));
    },
    update: (ref, object, user = DEFAULT_USER) => change(ref, object, '', user),
    updateStatus: (ref, object, user = DEFAULT_USER) => change(ref, object, 'status', user),
    delete(ref, name, options = {}) {
      const { uid, ...rest } = options;
      deleteObject(cluster, kinds.get(ref), name, {
        ...rest,
        ...(uid !== undefined && { preconditions: { uid } }),
      });
    },
    kinds: () => kinds.stored(),
    findKind: (apiVersion, kind) => kinds.find(apiVersion, kind),
    finalizeNamespace: (name) => void finalizeNamespace(cluster, name),
    bindPod: (ref, nodeName) => bindPod(cluster, ref, nodeName),
    subscribe: (listener) =>
      cluster.store.subscribe((event) => {
        const kind = kinds.byStorage(event.resource);
        if (!kind) return;
        const { type, object, old } = event;
        listener({ type, kind, object, ...(old && { old }) } satisfies LocalEvent);
      }),
  };
}

/** The field managers of the controllers' users. */
function programOf(user: string): string {
  if (user.startsWith('system:serviceaccount:kube-system:')) return DEFAULT_USER;
  if (user.startsWith('system:node:')) return 'kubelet';
  return user === 'system:kube-scheduler' ? 'kube-scheduler' : user;
}

const writeOptions = (user: string, subresource: string): WriteOptions => ({
  manager: programOf(user),
  dryRun: false,
  subresource,
  warn: () => undefined,
});

/** A copy as decoded from a body. */
function readIn(kind: Kind, object: object): KubeObject {
  const { kind: _kind, apiVersion: _apiVersion, ...content } = cloneJson(object) as Record<string, unknown>;
  const value = { kind: kind.kind, apiVersion: apiVersionOf(kind), ...content };
  const read: Record<string, unknown> = kind.definition === undefined ? value : readTyped(value, kind).object;
  read.metadata ??= {};
  return read as KubeObject;
}

/** Kinds by resource, cached until a CRD changes the served kinds. */
class KindIndex {
  readonly #cluster: Cluster;
  #preferred = new Map<string, Kind>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    cluster.kinds.subscribe(() => {
      this.#preferred = new Map();
    });
  }

  /** Throws 404 for a resource that is not served. */
  get({ group, plural }: KindRef): Kind {
    const name = storageName({ group, plural });
    let kind = this.#preferred.get(name);
    if (!kind) {
      kind = this.#cluster.kinds.preferred(group, plural);
      if (!kind) throw noSuchResource();
      this.#preferred.set(name, kind);
    }
    return kind;
  }

  byStorage(resource: string): KindRef | undefined {
    const dot = resource.indexOf('.');
    const ref =
      dot < 0
        ? { group: '', plural: resource }
        : { group: resource.slice(dot + 1), plural: resource.slice(0, dot) };
    return ref;
  }

  stored(): ServedKind[] {
    const seen = new Set<string>();
    return this.#cluster.kinds.all().flatMap((kind) => {
      const name = storageName(storageOf(kind));
      if (kind.virtual || seen.has(name)) return [];
      seen.add(name);
      return [served(this.get(storageOf(kind)))];
    });
  }

  find(apiVersion: string, kind: string): ServedKind | undefined {
    const found = this.#cluster.kinds.byKind(apiVersion, kind);
    return found && served(found);
  }
}

const served = ({ group, plural, version, kind, namespaced }: Kind): ServedKind => ({
  group,
  plural,
  version,
  kind,
  namespaced,
});
