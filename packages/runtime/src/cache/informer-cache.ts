/**
 * The informers of a program, each only once.
 *
 * In: declarations by whoever needs a kind. Out: one informer for equal declarations (same resource, namespace,
 * selectors and projection), running together. Reading a kind that nobody declared is an error, not a silent new
 * watch on the whole cluster.
 */
import { type ResourceType, resourceName } from '../client/resource.ts';
import { type KubernetesObject, keyString, type ObjectKey, type Stored } from '../model/types.ts';
import type { CachingInformer } from './caching-informer.ts';
import { createInformer } from './create-informer.ts';
import type { Cached, InformerHealth } from './informer.ts';
import type { InformerEnvironment, InformerOptions } from './informer-options.ts';
import { NamespacedInformer, type NamespacedInformerOptions } from './namespaced-informer.ts';
import type { Projection } from './projection.ts';

/** A declaration: what `createInformer` takes, without what the cache itself brings. */
export type Declaration<T extends KubernetesObject, C extends Cached> = Omit<
  InformerOptions<T, C>,
  keyof InformerEnvironment
>;
/** A declaration of an informer over a set of namespaces. */
export type NamespacedDeclaration<T extends KubernetesObject, C extends Cached> = Omit<
  NamespacedInformerOptions<T, C>,
  keyof InformerEnvironment
>;

/** Nobody declared an informer that could answer. */
export class NotCachedError extends Error {
  override name = 'NotCachedError';
}

/** What makes two declarations equal, and the indexes, which do not. */
interface Identity<C extends Cached> extends Omit<Declaration<KubernetesObject, C>, 'project' | 'namespace'> {
  readonly project?: unknown;
}

interface Entry {
  readonly informer: CachingInformer<Cached>;
  /** Holds every object of its namespaces. */
  readonly complete: boolean;
}

/** The informers of a program: equal declarations share one, and a read of a kind that nobody declared is an error. */
export class InformerCache {
  readonly #environment: InformerEnvironment;
  readonly #entries = new Map<string, Entry>();
  readonly #projections = new Map<unknown, number>();
  readonly #ending = new Set<Promise<void>>();
  #running: { readonly signal: AbortSignal; fail(error: unknown): void } | undefined;

  constructor(environment: InformerEnvironment) {
    this.#environment = environment;
  }

  /**
   * The informer for a declaration: a new one, or that of an equal declaration before. Indexes are added to it. If
   * the cache runs already, it begins at once.
   */
  informer<T extends KubernetesObject, C extends Cached>(
    declaration: Declaration<T, C> & { readonly project: Projection<T, C> },
  ): CachingInformer<C>;
  informer(
    declaration: Declaration<KubernetesObject, Stored<KubernetesObject>> & { readonly metadataOnly: true },
  ): CachingInformer<Stored<KubernetesObject>>;
  informer<T extends KubernetesObject>(
    declaration: Declaration<T, Stored<T>> & { readonly project?: never; readonly metadataOnly?: false },
  ): CachingInformer<Stored<T>>;
  informer<T extends KubernetesObject, C extends Cached>(declaration: Declaration<T, C>): CachingInformer<C> {
    return this.#declare(`one ${declaration.namespace ?? ''}`, declaration, () =>
      createInformer({ ...this.#environment, ...declaration } as InformerOptions<T, C> & {
        readonly project: Projection<T, C>;
      }),
    );
  }

  /** The same over a set of namespaces, which may change later. An equal declaration shares the set as well. */
  namespaced<T extends KubernetesObject, C extends Cached = Stored<T>>(
    declaration: NamespacedDeclaration<T, C>,
  ): NamespacedInformer<T, C> {
    return this.#declare('several', declaration, () => {
      return new NamespacedInformer<T, C>({ ...this.#environment, ...declaration });
    });
  }

  /** From whichever informer of this kind covers the key. */
  get(type: ResourceType, key: ObjectKey): Cached | undefined {
    return this.#covering(type, key, `${type.kind} "${keyString(key)}"`).store.get(key);
  }

  list(type: ResourceType, namespace?: string): Iterable<Cached> {
    const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
    const key = { name: '', ...(namespace === undefined ? {} : { namespace }) };
    return this.#covering(type, key, `the list of ${resourceName(type)} ${where}`).store.list(namespace);
  }

  /** Of every informer, under a name that tells them apart. */
  health(): ReadonlyMap<string, InformerHealth> {
    return new Map([...this.#entries].map(([name, { informer }]) => [name, informer.health()]));
  }

  /** Resolves when every informer declared by now is synced. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ informer }) => informer.whenSynced(signal)));
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#running) throw new TypeError('The cache already runs');
    const own = new AbortController();
    let stop = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        stop = resolve;
        this.#running = { signal: own.signal, fail: reject };
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted) resolve();
        for (const { informer } of this.#entries.values()) this.#start(informer);
      });
    } finally {
      signal.removeEventListener('abort', stop);
      this.#running = undefined;
      own.abort(signal.reason);
      await Promise.allSettled(this.#ending);
    }
  }

  #declare<C extends Cached, I extends CachingInformer<C>>(
    extent: string,
    declaration: Identity<C>,
    create: () => I,
  ): I {
    const { type, labelSelector, fieldSelector, metadataOnly, project, indexes } = declaration;
    const name = [
      resourceName(type),
      type.version,
      extent,
      labelSelector ?? '',
      fieldSelector ?? '',
      metadataOnly ? 'metadata' : 'objects',
      project ? `projection ${this.#numberOf(project)}` : '',
    ]
      .join(' ')
      .trimEnd();
    const known = this.#entries.get(name);
    if (known) {
      // Equal names mean equal resource and projection, and so equal types.
      const informer = known.informer as unknown as I;
      if (indexes) informer.addIndexes(indexes);
      return informer;
    }
    const informer = create();
    const complete = labelSelector === undefined && fieldSelector === undefined;
    this.#entries.set(name, { informer: informer as unknown as CachingInformer<Cached>, complete });
    this.#start(informer);
    return informer;
  }

  #start<C extends Cached>(informer: CachingInformer<C>): void {
    const running = this.#running;
    if (!running) return;
    const ending: Promise<void> = informer
      .run(running.signal)
      .catch(running.fail)
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #covering(type: ResourceType, key: ObjectKey, what: string): CachingInformer<Cached> {
    const ofType = [...this.#entries.values()].filter(({ informer }) => isSame(informer.type, type));
    const covering = ofType.filter(({ informer, complete }) => complete && informer.covers(key));
    const [first] = covering;
    if (first) return first.informer;
    const name = resourceName(type);
    throw new NotCachedError(
      ofType.length === 0
        ? `Cannot read ${what} from the cache: no informer of ${name} was declared; declare one before, or read from the server`
        : `Cannot read ${what} from the cache: the informers of ${name} hold only a part of them; read from the informer itself, or from the server`,
    );
  }

  #numberOf(project: unknown): number {
    const number = this.#projections.get(project) ?? this.#projections.size + 1;
    this.#projections.set(project, number);
    return number;
  }
}

function isSame(a: ResourceType, b: ResourceType): boolean {
  return a.group === b.group && a.plural === b.plural && a.version === b.version;
}
