/** The builder: says what an operator looks after, in the order in which one would tell it. */
import type { ResourceType } from '../client/resource.ts';
import type { Source } from '../controller/sources.ts';
import type { KubernetesObject, ObjectKey } from '../model/types.ts';
import { type Assembly, assemble, type OperatorEnvironment } from './assemble.ts';
import { type Declaration, nameOf } from './declaration.ts';
import { type RunOptions, runOperators } from './program.ts';
import { type PolicyRule, type RulesOptions, rulesOf } from './rules.ts';
import type { KindOptions, Managed, MapToKeys, OperatorSettings, Pass, PassOutcome } from './types.ts';

/** A finished operator: run it, build it into a program of your own, or ask which rights it needs. */
export interface Operator {
  readonly name: string;
  /** The rights that it needs and no other: the rules of its ClusterRole. */
  rules(options?: RulesOptions): PolicyRule[];
  /** Its parts, for a manager, a test, or a program with more than one. */
  build(environment: OperatorEnvironment): Assembly;
  /** The whole program: resolves when it has ended in order, and sets the exit code. */
  run(options?: RunOptions): Promise<void>;
}

/** Says more about an operator; `reconcile` finishes it. Each call returns a new one. */
export interface OperatorBuilder<T extends Managed> {
  /** Children that the objects control: a change of one leads to its owner, and `pass.ensure` makes them. */
  owns<O extends KubernetesObject>(type: ResourceType<O>, options?: KindOptions<O>): OperatorBuilder<T>;
  /** Other objects that concern ours: `map` says which. They are kept in memory and read with `pass.cached`. */
  watches<O extends KubernetesObject>(
    type: ResourceType<O>,
    map: MapToKeys<O, T>,
    options?: KindOptions<O>,
  ): OperatorBuilder<T>;
  /**
   * Further reasons to look at an object: a `channel`, or a source over an informer of your own. Whoever made the informer
   * runs it.
   */
  on(source: Source<ObjectKey>): OperatorBuilder<T>;
  /** Further rights, for what `pass.client` does by itself. */
  needs(type: ResourceType, ...verbs: readonly string[]): OperatorBuilder<T>;
  /**
   * What has to be undone before an object may go: a finalizer holds it until this has succeeded. It may run more than
   * once. Children need no cleanup: Kubernetes deletes them with their owner.
   */
  cleanup(undo: (pass: Pass<T>) => Promise<PassOutcome>): OperatorBuilder<T>;
  /** Brings one object to what its spec says. It must come to the same end however often it is called. */
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
  const finished: Operator = {
    name: nameOf(declaration),
    rules: (options) => rulesOf(declaration, options),
    build: (environment) => assemble(declaration, environment),
    run: (options) => runOperators([finished], options),
  };
  return finished;
}

/** The lists of a declaration hold every kind; each function is only ever called with objects of its own. */
const anyOptions = <O extends KubernetesObject>(options: KindOptions<O>): KindOptions<KubernetesObject> =>
  options as unknown as KindOptions<KubernetesObject>;
const anyMap = <O extends KubernetesObject, T extends KubernetesObject>(
  map: MapToKeys<O, T>,
): MapToKeys<KubernetesObject, KubernetesObject> =>
  map as unknown as MapToKeys<KubernetesObject, KubernetesObject>;
