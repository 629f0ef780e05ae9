/**
 * The shared informers of a program.
 *
 * In: declarations by the parts that need a kind. Out: one informer per distinct declaration (resource, namespace,
 * selectors and projection), all run together. Reading a kind without a declaration is an error: it must not silently
 * start a watch on the whole cluster.
 */
import { type ResourceType, resourceName } from '../client/resource.ts';
import { type KubernetesObject, keyString, type ObjectKey, type Stored } from '../model/types.ts';
import type { CachingInformer } from './caching-informer.ts';
import { createInformer } from './create-informer.ts';
import type { Cached, InformerHealth } from './informer.ts';
import type { InformerEnvironment, InformerOptions } from './informer-options.ts';
import { NamespacedInformer, type NamespacedInformerOptions } from './namespaced-informer.ts';
import type { Projection } from './projection.ts';

/** A declaration: the options of `createInformer` without those that the cache supplies. */
export type Declaration<T extends KubernetesObject, C extends Cached> = Omit<
  InformerOptions<T, C>,
  keyof InformerEnvironment
>;
/** A declaration of an informer over a set of namespaces. */
export type NamespacedDeclaration<T extends KubernetesObject, C extends Cached> = Omit<
  NamespacedInformerOptions<T, C>,
  keyof InformerEnvironment
>;

/** No declared informer covers the key. */
export class NotCachedError extends Error {
  override name = 'NotCachedError';
}

/** The fields that make two declarations equal; indexes are not among them. */
interface Identity<C extends Cached> extends Omit<Declaration<KubernetesObject, C>, 'project' | 'namespace'> {
  readonly project?: unknown;
}

interface Entry {
  readonly informer: CachingInformer<Cached>;
  /** Has no selectors: it holds every object of its namespaces. */
  readonly complete: boolean;
}

/** The shared informers of a program: equal declarations share one, and reading an undeclared kind is an error. */
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
   * Returns the informer for a declaration: a new one, or the existing one of an equal declaration. Its indexes are
   * added. If the cache is already running, a new informer starts at once.
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

  /** The same over a set of namespaces that may change later. Equal declarations share the set as well. */
  namespaced<T extends KubernetesObject, C extends Cached = Stored<T>>(
    declaration: NamespacedDeclaration<T, C>,
  ): NamespacedInformer<T, C> {
    return this.#declare('several', declaration, () => {
      return new NamespacedInformer<T, C>({ ...this.#environment, ...declaration });
    });
  }

  /** Reads from any informer of this kind that covers the key. */
  get(type: ResourceType, key: ObjectKey): Cached | undefined {
    return this.#covering(type, key, `${type.kind} "${keyString(key)}"`).store.get(key);
  }

  /** The cached objects of a kind, in all namespaces or one; throws if no informer holds all of them. */
  list(type: ResourceType, namespace?: string): Iterable<Cached> {
    const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
    const key = { name: '', ...(namespace === undefined ? {} : { namespace }) };
    return this.#covering(type, key, `the list of ${resourceName(type)} ${where}`).store.list(namespace);
  }

  /** Health of every informer, by a unique name. */
  health(): ReadonlyMap<string, InformerHealth> {
    return new Map([...this.#entries].map(([name, { informer }]) => [name, informer.health()]));
  }

  /** Resolves when every informer declared by now is synced. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ informer }) => informer.whenSynced(signal)));
  }

  /** Runs all informers until the signal aborts. */
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
      // Equal names imply equal resource and projection, and therefore equal types.
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
