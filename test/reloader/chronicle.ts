/**
 * Every version of the objects of a stage, in the order in which they were stored.
 *
 * In: watch events of any number of kinds. Out: histories by object. The resourceVersion orders events across kinds, on
 * both servers, so the histories of a workload and of its Secret can be compared.
 */
export interface ChronicleObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { kind: string; name: string; uid: string; controller?: boolean }[];
    readonly managedFields?: readonly { manager?: string; operation?: string; time?: string }[];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

export interface Version {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly kind: string;
  readonly revision: number;
  readonly object: ChronicleObject;
}

export interface Ref {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export const refKey = ({ kind, namespace, name }: Ref): string => `${kind}/${namespace}/${name}`;

export class Chronicle {
  readonly #versions = new Map<string, Version[]>();
  readonly #namespaces = new Set<string>();

  /** Only events in these namespaces are kept. */
  include(namespace: string): void {
    this.#namespaces.add(namespace);
  }

  get namespaces(): ReadonlySet<string> {
    return this.#namespaces;
  }

  note(type: Version['type'], kind: string, object: ChronicleObject): void {
    const { namespace = '', name, resourceVersion } = object.metadata;
    if (!this.#namespaces.has(namespace)) return;
    const key = refKey({ kind, namespace, name });
    const versions = this.#versions.get(key) ?? [];
    this.#versions.set(key, versions);
    const revision = Number(resourceVersion);
    // A restarted watch may repeat events.
    if (versions.some((version) => version.revision === revision)) return;
    versions.push({ type, kind, revision, object });
  }

  of(ref: Ref): readonly Version[] {
    return this.#versions.get(refKey(ref)) ?? [];
  }

  /** The current object, or undefined if it does not exist. */
  now(ref: Ref): ChronicleObject | undefined {
    const last = this.of(ref).at(-1);
    return last && last.type !== 'DELETED' ? last.object : undefined;
  }

  /** All existing objects of a kind. */
  all(kind: string, namespace?: string): ChronicleObject[] {
    return this.refs(kind)
      .filter((ref) => namespace === undefined || ref.namespace === namespace)
      .flatMap((ref) => this.now(ref) ?? []);
  }

  /** All objects of a kind that ever existed. */
  refs(kind: string): Ref[] {
    return [...this.#versions.keys()]
      .filter((key) => key.startsWith(`${kind}/`))
      .map((key) => {
        const [found = '', namespace = '', name = ''] = key.split('/');
        return { kind: found, namespace, name };
      });
  }
}
