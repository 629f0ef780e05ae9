/**
 * Counts the changes in each namespace, so that results which depend on its objects can be kept until one changes.
 *
 * In: the events of sources, mounted classes, configs and Namespaces. Out: a number for each namespace, and for the empty name one for all
 * Namespace objects. Guarantees: the number is another one after every change that a plan can depend on. Statuses are
 * not: the operator itself writes those of ReloaderConfigs.
 */
import type { Cached, Informer } from '@reloader/runtime';
import type { ConfigFacts } from '../model/config.ts';
import { ALL_NAMESPACES, type NamespaceFacts } from '../model/world.ts';

/** An object in a namespace. */
type Located = Cached & { readonly metadata: { readonly namespace: string } };

export class Revisions {
  readonly #byNamespace = new Map<string, number>();
  #last = 0;

  of(namespace: string): number {
    return this.#byNamespace.get(namespace) ?? 0;
  }

  followSources(informer: Pick<Informer<Located>, 'addHandler'>): void {
    informer.addHandler(({ object }) => this.#changed(object.metadata.namespace));
  }

  followConfigs(informer: Pick<Informer<ConfigFacts>, 'addHandler'>): void {
    informer.addHandler((event) => {
      if (event.type === 'update' && isStatusOnly(event.old, event.object)) return;
      this.#changedConfig(event.object);
      if (event.type === 'update') this.#changedConfig(event.old);
    });
  }

  followNamespaces(informer: Pick<Informer<NamespaceFacts>, 'addHandler'>): void {
    informer.addHandler(({ type, object }) => {
      this.#changed(object.metadata.name);
      this.#changed(ALL_NAMESPACES);
      // No number is used twice, so that a namespace of the same name starts with another one.
      if (type === 'delete') this.#byNamespace.delete(object.metadata.name);
    });
  }

  /** A config changes what its targets are reloaded for, wherever they are. */
  #changedConfig({ metadata, targets }: ConfigFacts): void {
    for (const namespace of new Set([metadata.namespace, ...targets.map((each) => each.namespace)]))
      this.#changed(namespace);
  }

  #changed(namespace: string): void {
    this.#last += 1;
    this.#byNamespace.set(namespace, this.#last);
  }
}

function isStatusOnly(old: ConfigFacts, object: ConfigFacts): boolean {
  return (
    old.metadata.uid === object.metadata.uid &&
    old.generation === object.generation &&
    old.ignored === object.ignored
  );
}
