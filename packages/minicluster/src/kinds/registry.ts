/**
 * The currently served kinds: the built-in ones, and those of established CustomResourceDefinitions. Lookup is by
 * path (group, version, plural) or by an object's apiVersion and kind.
 *
 * Guarantees: a listener is called once per change, after the change; the kinds of a CRD are added and removed
 * together.
 */
import type { JsonObject, KubeObject } from '../model/object.ts';
import { builtinKinds } from './builtin/index.ts';
import { kindFromCrd } from './crd/kind-from-crd.ts';
import { computeCrdStatus, isEstablished } from './crd/status.ts';
import { array, record, records, text } from './fields.ts';
import { apiVersionOf, type Kind } from './kind.ts';
import { compareVersions } from './versions.ts';

export interface KindChange {
  readonly added: readonly Kind[];
  readonly removed: readonly Kind[];
}

export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly string[];
}

export class KindRegistry {
  readonly #kinds: Kind[];
  readonly #byPath = new Map<string, Kind>();
  readonly #byObject = new Map<string, Kind>();
  /** Each CRD's state: its kinds while served, and its accepted names. */
  readonly #crds = new Map<string, { crd: KubeObject; kinds: readonly Kind[] }>();
  readonly #listeners = new Set<(change: KindChange) => void>();

  constructor(kinds: Iterable<Kind> = builtinKinds) {
    this.#kinds = [...kinds];
    for (const kind of this.#kinds) this.#index(kind);
  }

  lookup(group: string, version: string, plural: string): Kind | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`);
  }

  /** The kind behind a resource in its preferred version. */
  preferred(group: string, plural: string): Kind | undefined {
    for (const version of this.#versions(group)) {
      const kind = this.lookup(group, version, plural);
      if (kind) return kind;
    }
    return undefined;
  }

  /** The kind of an object's `apiVersion` and `kind`. */
  byKind(apiVersion: string, kind: string): Kind | undefined {
    return this.#byObject.get(`${apiVersion}/${kind}`);
  }

  all(): Kind[] {
    return [...this.#kinds, ...this.#customKinds()];
  }

  inGroupVersion(group: string, version: string): Kind[] {
    return this.all().filter((kind) => kind.group === group && kind.version === version);
  }

  /** The core group first, then in order of appearance; custom groups last. */
  groups(): ApiGroup[] {
    const names = new Set(this.all().map((kind) => kind.group));
    return [...names].map((name) => ({ name, versions: this.#versions(name) }));
  }

  /** Call after each write of a CRD; its kinds are served once its status says Established. */
  setCrd(crd: KubeObject): void {
    const served = isEstablished(crd)
      ? records(record(crd.spec).versions)
          .filter((version) => version.served === true)
          .map((version) => kindFromCrd(crd, text(version.name)))
      : [];
    this.#replace(crd.metadata.name, { crd, kinds: served });
  }

  removeCrd(name: string): void {
    this.#replace(name, undefined);
  }

  /** The new status of a CRD, or undefined if it is unchanged. */
  crdStatus(crd: KubeObject, now: number): JsonObject | undefined {
    const group = text(record(crd.spec).group);
    const others = [...this.#crds.values()].filter(
      (entry) =>
        entry.crd.metadata.name !== crd.metadata.name && text(record(entry.crd.spec).group) === group,
    );
    const accepted = others.map((entry) => record(record(entry.crd.status).acceptedNames));
    const taken = {
      resources: new Set(
        accepted.flatMap((names) => [
          text(names.plural),
          text(names.singular),
          ...array(names.shortNames).map(String),
        ]),
      ),
      kinds: new Set(accepted.flatMap((names) => [text(names.kind), text(names.listKind)])),
    };
    return computeCrdStatus(crd, taken, now);
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: (change: KindChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #customKinds(): Kind[] {
    return [...this.#crds.values()].flatMap((entry) => entry.kinds);
  }

  #versions(group: string): string[] {
    const versions = new Set(this.all().flatMap((kind) => (kind.group === group ? [kind.version] : [])));
    return [...versions].sort(compareVersions);
  }

  #replace(name: string, next: { crd: KubeObject; kinds: readonly Kind[] } | undefined): void {
    const removed = this.#crds.get(name)?.kinds ?? [];
    for (const kind of removed) {
      this.#byPath.delete(pathKey(kind));
      this.#byObject.delete(objectKey(kind));
    }
    if (next) this.#crds.set(name, next);
    else this.#crds.delete(name);
    for (const kind of next?.kinds ?? []) this.#index(kind);
    const added = next?.kinds ?? [];
    if (added.length === 0 && removed.length === 0) return;
    for (const listener of [...this.#listeners]) listener({ added, removed });
  }

  #index(kind: Kind): void {
    this.#byPath.set(pathKey(kind), kind);
    this.#byObject.set(objectKey(kind), kind);
  }
}

const pathKey = (kind: Kind): string => `${kind.group}/${kind.version}/${kind.plural}`;
const objectKey = (kind: Kind): string => `${apiVersionOf(kind)}/${kind.kind}`;
