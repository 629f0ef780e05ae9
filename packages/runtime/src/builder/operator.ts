/** The builder: declares what an operator reconciles, owns and watches. */
import type { ResourceType } from '../client/resource.ts';
import type { Source } from '../controller/sources.ts';
import type { KubernetesObject, ObjectKey } from '../model/types.ts';
import { expectDomain } from '../objects/finalizers.ts';
import { type Assembly, assemble, type OperatorEnvironment } from './assemble.ts';
import { type Declaration, finalizerOf, nameOf } from './declaration.ts';
import { type RunOptions, runOperators } from './program.ts';
import { type PolicyRule, type RulesOptions, rulesOf } from './rules.ts';
import type { KindOptions, Managed, MapToKeys, OperatorSettings, Pass, PassOutcome } from './types.ts';

/** A finished operator: run it, build it into your own program, or ask for its RBAC rules. */
export interface Operator {
  /** Its name in logs, metrics, Events and the Lease. */
  readonly name: string;
  /** The least privileges it needs: the rules of its ClusterRole. */
  rules(options?: RulesOptions): PolicyRule[];
  /** Its parts, for a manager, a test, or a program with more than one. */
  build(environment: OperatorEnvironment): Assembly;
  /** The whole program: resolves when it has ended in order, and sets the exit code. */
  run(options?: RunOptions): Promise<void>;
}

/** Collects an operator's declaration; `reconcile` finishes it. Each call returns a new builder. */
export interface OperatorBuilder<T extends Managed> {
  /**
   * Children that the objects control: a change of a child enqueues its owner, and `pass.ensure` creates or updates
   * children.
   */
  owns<O extends KubernetesObject>(type: ResourceType<O>, options?: KindOptions<O>): OperatorBuilder<T>;
  /**
   * Other objects that ours depend on: `map` returns the keys to enqueue. They are cached and read with
   * `pass.cached`.
   */
  watches<O extends KubernetesObject>(
    type: ResourceType<O>,
    map: MapToKeys<O, T>,
    options?: KindOptions<O>,
  ): OperatorBuilder<T>;
  /** An additional source of requests: a `channel`, or a source over your own informer, which you also run. */
  on(source: Source<ObjectKey>): OperatorBuilder<T>;
  /** Additional RBAC rules, for requests that you send with `pass.client`. */
  needs(type: ResourceType, ...verbs: readonly string[]): OperatorBuilder<T>;
  /**
   * Cleans up before an object is deleted: a finalizer holds the object until this succeeds. It may run more than
   * once. Children need no cleanup: Kubernetes deletes them with their owner.
   */
  cleanup(undo: (pass: Pass<T>) => Promise<PassOutcome>): OperatorBuilder<T>;
  /** Brings one object to the state in its spec. It must be idempotent. */
  reconcile(reconcile: (pass: Pass<T>) => Promise<PassOutcome>): Operator;
}

/**
 * An operator for one kind.
 *
 * It does what every operator does: caches with our own writes in them, one worker for each object, retries, a finalizer
 * where there is a cleanup, `Ready`, `Reconciling` and `Stalled`, `observedGeneration`, Events when they change, leader
 * election with a fence, probes, metrics and an orderly end.
 *
 * @example
 * ```ts
 * const greetings = operator(Greeting)
 *   .owns(kinds.ConfigMap)
 *   .reconcile(async ({ object, ensure }) => {
 *     await ensure(kinds.ConfigMap, object.metadata.name, (draft) => {
 *       draft.data = { text: `Hello ${object.spec.who}` };
 *     });
 *   });
 * await greetings.run();
 * ```
 *
 * @experimental
 */
export function operator<T extends Managed>(
  type: ResourceType<T>,
  settings?: OperatorSettings<T>,
): OperatorBuilder<T>;
/**
 * An operator for a kind whose status belongs to others (Namespace, Node, Pod, …) or that has none: nothing is written to
 * the status; a failed pass is told by an Event and the log.
 *
 * @example
 * ```ts
 * const quotas = operator(kinds.Namespace, { name: 'quotas', status: false, when: labelsChanged() })
 *   .owns(kinds.ResourceQuota)
 *   .reconcile(async ({ object: { metadata }, ensure }) => {
 *     const pods = metadata.labels?.['example.com/pods'];
 *     if (!pods) return;
 *     await ensure(kinds.ResourceQuota, { namespace: metadata.name, name: 'pods' }, (draft) => {
 *       draft.spec = { hard: { pods } };
 *     });
 *   });
 * ```
 *
 * @experimental
 */
export function operator<T extends KubernetesObject>(
  type: ResourceType<T>,
  settings: OperatorSettings<T & Managed> & { readonly status: false },
): OperatorBuilder<T & Managed>;
export function operator<T extends Managed>(
  type: ResourceType<T>,
  settings: OperatorSettings<T> = {},
): OperatorBuilder<T> {
  return extend({ type, settings, watched: [], sources: [], needs: [], cleanup: undefined });
}

function extend<T extends Managed>(told: Omit<Declaration<T>, 'reconcile'>): OperatorBuilder<T> {
  return {
    owns: (type, options = {}) =>
      extend({ ...told, watched: [...told.watched, { type, options: anyOptions(options), map: undefined }] }),
    watches: (type, map, options = {}) =>
      extend({
        ...told,
        watched: [...told.watched, { type, options: anyOptions(options), map: anyMap(map) }],
      }),
    on: (source) => extend({ ...told, sources: [...told.sources, source] }),
    needs: (type, ...verbs) => extend({ ...told, needs: [...told.needs, { type, verbs }] }),
    cleanup: (cleanup) => extend({ ...told, cleanup }),
    reconcile: (reconcile) => finish({ ...told, reconcile }),
  };
}

function finish<T extends Managed>(declaration: Declaration<T>): Operator {
  // A finalizer without a domain is refused here, before anything runs.
  if (declaration.cleanup) expectDomain(finalizerOf(declaration));
  const finished: Operator = {
    name: nameOf(declaration),
    rules: (options) => rulesOf(declaration, options),
    build: (environment) => assemble(declaration, environment),
    run: (options) => runOperators([finished], options),
  };
  return finished;
}

/** A declaration's lists hold functions of every kind; each function is only called with objects of its own kind. */
const anyOptions = <O extends KubernetesObject>(options: KindOptions<O>): KindOptions<KubernetesObject> =>
  options as unknown as KindOptions<KubernetesObject>;
const anyMap = <O extends KubernetesObject, T extends KubernetesObject>(
  map: MapToKeys<O, T>,
): MapToKeys<KubernetesObject, KubernetesObject> =>
  map as unknown as MapToKeys<KubernetesObject, KubernetesObject>;
