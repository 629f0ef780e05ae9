/**
 * Predicates decide which events may cause a reconcile. They do not make the cache smaller.
 *
 * Comparing predicates (`changed` and its relatives) pass every add and delete, and those updates in which the
 * compared part differs.
 */
import type { Cached, InformerEvent } from '../cache/informer.ts';
import { type Clock, systemClock } from '../clock/clock.ts';
import { deepEqual } from '../objects/equality.ts';
import { type LabelSelector, parseSelector, selectorFrom } from '../objects/selectors.ts';

/** Whether an event may cause a reconcile. */
export type Predicate<C extends Cached = Cached> = (event: InformerEvent<C>) => boolean;

/** The part of an object that a projection must keep for a predicate to see it. */
type WithMeta<M> = Cached & { readonly metadata: M };
type Texts = Readonly<Record<string, string>>;

/** Events for which all of them hold. */
export function and<C extends Cached>(...predicates: readonly Predicate<C>[]): Predicate<C> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** Events for which at least one of them holds. */
export function or<C extends Cached>(...predicates: readonly Predicate<C>[]): Predicate<C> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Events for which it does not hold. */
export function not<C extends Cached>(predicate: Predicate<C>): Predicate<C> {
  return (event) => !predicate(event);
}

/** Updates in which this part of the object changed. */
export function changed<C extends Cached>(part: (object: C) => unknown): Predicate<C> {
  return (event) => event.type !== 'update' || !deepEqual(part(event.old), part(event.object));
}

/**
 * Updates of the spec. Note that a Deployment's generation also changes with its annotations, and that this misses a
 * status that was wiped. Every update of a kind without a generation counts, such as ConfigMap or Secret.
 */
export function generationChanged<C extends WithMeta<{ readonly generation?: number }>>(): Predicate<C> {
  return changed(({ metadata }) => metadata.generation ?? metadata.resourceVersion);
}

/** Updates of labels. */
export function labelsChanged<C extends WithMeta<{ readonly labels?: Texts }>>(): Predicate<C> {
  return changed((object) => object.metadata.labels ?? {});
}

/** Updates of annotations. */
export function annotationsChanged<C extends WithMeta<{ readonly annotations?: Texts }>>(): Predicate<C> {
  return changed((object) => object.metadata.annotations ?? {});
}

/** Everything but resyncs. */
export function resourceVersionChanged<C extends Cached>(): Predicate<C> {
  return changed((object) => object.metadata.resourceVersion);
}

/** Events of objects in these namespaces. */
export function inNamespaces<C extends Cached>(...namespaces: readonly string[]): Predicate<C> {
  const wanted = new Set(namespaces);
  return (event) => wanted.has(event.object.metadata.namespace ?? '');
}

/** Objects that match, or that matched before the update: an object that stops matching counts too. */
export function matchesLabels<C extends WithMeta<{ readonly labels?: Texts }>>(
  selector: LabelSelector | string,
): Predicate<C> {
  const { matches } = typeof selector === 'string' ? parseSelector(selector) : selectorFrom(selector);
  return (event) =>
    matches(event.object.metadata.labels) || (event.type === 'update' && matches(event.old.metadata.labels));
}

/** How long `unseen` remembers. */
export interface UnseenOptions {
  readonly clock?: Clock | undefined;
  /** How long a value is remembered after it was last seen; an hour unless given. */
  readonly rememberMs?: number | undefined;
}

/**
 * Adds and updates whose value differs from the last one seen of the same object (by namespace, name and uid). It
 * keeps its own memory and needs no old object, so it also works across relists and resyncs. Use a new one for each
 * source.
 */
export function unseen<C extends Cached>(
  value: (object: C) => string | number | boolean | undefined,
  options: UnseenOptions = {},
): Predicate<C> {
  const { clock = systemClock, rememberMs = 3_600_000 } = options;
  const seen = new Map<string, { value: string | number | boolean | undefined; at: number }>();
  let sweptAt = clock.monotonic();
  return ({ type, object }) => {
    const now = clock.monotonic();
    if (now - sweptAt >= rememberMs) {
      sweptAt = now;
      for (const [id, { at }] of seen) if (now - at >= rememberMs) seen.delete(id);
    }
    const { namespace = '', name, uid } = object.metadata;
    const id = `${namespace}/${name}/${uid}`;
    if (type === 'delete') {
      seen.delete(id);
      return true;
    }
    const current = value(object);
    const before = seen.get(id);
    seen.set(id, { value: current, at: now });
    return !before || before.value !== current;
  };
}
