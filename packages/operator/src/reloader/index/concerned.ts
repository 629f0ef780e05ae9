/**
 * From something that changed to the workloads it may concern.
 *
 * In: a source, a workload, a config or a namespace. Out: keys of workloads, each once. Costs as much as it finds: every
 * question is a look-up in an index, except after a change of a namespace, which concerns all that lives there.
 *
 * Guarantees: everybody who is concerned is found. Somebody who is not may be found too, and costs one pass that does
 * nothing; workloads that ask for nothing at all are never found.
 */
import type { KindKey, ReadonlyStore } from '@reloader/runtime';
import { NO_TEXTS, type Texts } from '../digest/texts.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { type SourceRef, sourceKey } from '../model/source.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { type NamedList, parseNamedList } from '../want/named-list.ts';
import { EVERYWHERE, listIn, listsFor, scanTerm } from './terms.ts';

export interface ConcernedOptions {
  /** One store per kind of workload, with `workloadIndexes`. */
  readonly workloads: readonly ReadonlyStore<WorkloadFacts>[];
  /** With `configIndexes`; undefined where there are none. */
  readonly configs: ReadonlyStore<ConfigFacts> | undefined;
  readonly world: Pick<World, 'namespace'>;
  readonly settings: Pick<
    ReloaderSettings,
    'names' | 'autoReloadAll' | 'namespaceDefaults' | 'operatorNamespace'
  >;
}

/** Compiled lists are kept up to this number: few differ, and a cluster that churns them must not fill the memory. */
const MOST_LISTS = 1000;

export class Concerned {
  readonly #options: ConcernedOptions;
  readonly #lists = new Map<string, NamedList>();
  #isNoted: (ref: WorkloadRef) => boolean = () => false;

  constructor(options: ConcernedOptions) {
    this.#options = options;
  }

  /** Workloads that are in the notebook are looked at, too, although nothing asks for them any more. */
  remember(isNoted: (ref: WorkloadRef) => boolean): void {
    this.#isNoted = isNoted;
  }

  /** `labels`: those it has, and those it had. */
  bySource(ref: SourceRef, labels: readonly Texts[]): KindKey[] {
    const { configs, workloads } = this.#options;
    const found = new Found();
    const term = sourceKey(ref);
    for (const store of workloads) {
      this.#add(found, store.byIndex('sources', term));
      for (const workload of store.byIndex('scans', scanTerm(ref.namespace, ref.kind)))
        if (this.#isListed(ref, workload)) this.#add(found, [workload]);
    }
    if (this.#isNamedByNamespace(ref)) this.#addNamespace(found, ref.namespace);
    if (!configs) return found.keys();
    for (const config of configs.byIndex('sources', term)) addTargets(found, config);
    for (const scan of [ref.namespace, EVERYWHERE])
      for (const config of configs.byIndex('scans', scan))
        if (this.#mayWatch(config, ref, labels)) addTargets(found, config);
    return found.keys();
  }

  /** Itself, and who uses its template. */
  byWorkload(workload: WorkloadFacts): KindKey[] {
    const found = new Found();
    this.#add(found, [workload]);
    return found.keys();
  }

  byConfig(config: ConfigFacts): KindKey[] {
    const found = new Found();
    addTargets(found, config);
    return found.keys();
  }

  /** All that lives there, and targets of configs that choose namespaces; all there is for the operator's own. */
  byNamespace(namespace: string): KindKey[] {
    const { configs, workloads, settings } = this.#options;
    const found = new Found();
    if (namespace === settings.operatorNamespace)
      for (const store of workloads) this.#add(found, store.list());
    else this.#addNamespace(found, namespace);
    for (const config of configs?.byIndex('scans', EVERYWHERE) ?? []) addTargets(found, config);
    return found.keys();
  }

  /** Whether anything could make us reload it. */
  asks(workload: WorkloadFacts): boolean {
    const { configs, settings, world } = this.#options;
    if (settings.autoReloadAll || workload.workloadRef) return true;
    if (hasTexts(workload.annotations) || hasTexts(workload.templateAnnotations)) return true;
    if (settings.namespaceDefaults) {
      const namespace = world.namespace(workload.metadata.namespace);
      if (namespace && hasTexts(namespace.annotations)) return true;
    }
    for (const _ of configs?.byIndex('targets', workloadKey(refOf(workload))) ?? []) return true;
    return this.#isNoted(refOf(workload));
  }

  #add(found: Found, workloads: Iterable<WorkloadFacts>): void {
    for (const workload of workloads) {
      if (this.asks(workload)) found.add(refOf(workload));
      for (const store of this.#options.workloads)
        for (const user of store.byIndex('templates', workloadKey(refOf(workload)))) found.add(refOf(user));
    }
  }

  #addNamespace(found: Found, namespace: string): void {
    for (const store of this.#options.workloads) this.#add(found, store.list(namespace));
  }

  #isListed({ kind, name }: SourceRef, workload: WorkloadFacts): boolean {
    return listsFor(kind, workload, this.#options.settings.names).some((text) =>
      this.#list(text).matches(name),
    );
  }

  #isNamedByNamespace({ kind, namespace, name }: SourceRef): boolean {
    const { settings, world } = this.#options;
    if (!settings.namespaceDefaults) return false;
    const text = listIn(kind, world.namespace(namespace)?.annotations ?? NO_TEXTS, settings.names);
    return text !== undefined && this.#list(text).matches(name);
  }

  #mayWatch(config: ConfigFacts, { kind, namespace, name }: SourceRef, labels: readonly Texts[]): boolean {
    const { namespaceSelector, resourceSelector, secrets, configMaps } = config;
    if (namespaceSelector && namespace !== config.metadata.namespace) {
      const facts = this.#options.world.namespace(namespace);
      if (facts && !namespaceSelector.matches(facts.labels)) return false;
    }
    if (resourceSelector) return labels.some((each) => resourceSelector.matches(each));
    if (secrets.length + configMaps.length === 0) return true;
    return (kind === 'Secret' ? secrets : configMaps).includes(name);
  }

  #list(text: string): NamedList {
    const known = this.#lists.get(text);
    if (known) return known;
    if (this.#lists.size >= MOST_LISTS) this.#lists.clear();
    const list = parseNamedList(text);
    this.#lists.set(text, list);
    return list;
  }
}

/** Workloads, each once. */
class Found {
  readonly #keys = new Map<string, KindKey>();

  add({ kind, namespace, name }: WorkloadRef): void {
    this.#keys.set(workloadKey({ kind, namespace, name }), { kind, namespace, name });
  }

  keys(): KindKey[] {
    return [...this.#keys.values()];
  }
}

function addTargets(found: Found, { targets }: ConfigFacts): void {
  for (const target of targets) found.add(target);
}

function hasTexts(texts: Texts): boolean {
  for (const _ in texts) return true;
  return false;
}
