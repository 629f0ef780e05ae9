/**
 * Maps a changed object to the workloads that it may concern.
 *
 * In: a source, a workload, a config or a namespace. Out: keys of workloads, each once. The cost is proportional to the
 * result: every query is an index look-up, except for a changed namespace, which concerns all of its workloads.
 *
 * Guarantees: every concerned workload is found. Others may be found, too, and cost one pass that does nothing;
 * workloads that ask for no reloads at all are never found.
 */
import type { KindKey, ReadonlyStore } from '@reloader/runtime';
import { NO_TEXTS, type Texts } from '../digest/texts.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { SOURCE_KINDS, type SourceKind, type SourceRef, sourceKey } from '../model/source.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { crossNamespaceDenied } from '../want/cross-namespace.ts';
import { type NamedList, namedList } from '../want/named-list.ts';
import { EVERYWHERE, listIn, listsFor, scanTerm } from './terms.ts';

export interface AffectedWorkloadsOptions {
  /** One store per kind of workload, with `workloadIndexes`. */
  readonly workloads: readonly ReadonlyStore<WorkloadFacts>[];
  /** Those of kinds that may use the template of another workload; default: all of them. */
  readonly borrowing?: readonly ReadonlyStore<WorkloadFacts>[];
  /** With `configIndexes`; undefined if ReloaderConfigs may not be read. */
  readonly configs: ReadonlyStore<ConfigFacts> | undefined;
  readonly world: Pick<World, 'namespace'>;
  readonly settings: Pick<
    ReloaderSettings,
    'names' | 'autoReloadAll' | 'namespaceDefaults' | 'operatorNamespace' | 'allowCrossNamespace'
  >;
}

export class AffectedWorkloads {
  readonly #options: AffectedWorkloadsOptions;
  readonly #replayed = new Set<string>();
  /** Parsed once per workload: every source of a namespace is matched with all lists there that have expressions. */
  readonly #lists = new WeakMap<WorkloadFacts, ReadonlyMap<SourceKind, readonly NamedList[]>>();
  #isNoted: (ref: WorkloadRef) => boolean = () => false;

  constructor(options: AffectedWorkloadsOptions) {
    this.#options = options;
  }

  /** Makes `asks` true for workloads in the notebook, even if nothing opts them in any more. */
  remember(isNoted: (ref: WorkloadRef) => boolean): void {
    this.#isNoted = isNoted;
  }

  /**
   * `labels`: the present and the previous ones. `replayed`: the event is one of many that a new handler receives at
   * once; the first of a namespace finds all workloads there with expressions, and the others skip that.
   */
  bySource(ref: SourceRef, labels: readonly Texts[], replayed = false): KindKey[] {
    const { configs, workloads } = this.#options;
    const found = new Found();
    const term = sourceKey(ref);
    const scan = scanTerm(ref.namespace, ref.kind);
    const isScanned = replayed && this.#wasReplayed(scan);
    for (const store of workloads) {
      this.#add(found, store.byIndex('sources', term));
      for (const workload of isScanned ? [] : store.byIndex('scans', scan))
        if (replayed || this.#isListed(ref, workload)) this.#add(found, [workload]);
    }
    if (this.#isNamedByNamespace(ref)) this.#addNamespace(found, ref.namespace);
    if (!configs) return found.keys();
    for (const config of configs.byIndex('sources', term)) this.#addTargets(found, config);
    for (const where of [ref.namespace, EVERYWHERE])
      for (const config of configs.byIndex('scans', where))
        if (this.#mayWatch(config, ref, labels)) this.#addTargets(found, config);
    return found.keys();
  }

  /** The workload itself, and the Rollouts that use its template. */
  byWorkload(workload: WorkloadFacts): KindKey[] {
    const found = new Found();
    this.#add(found, [workload]);
    return found.keys();
  }

  byConfig(config: ConfigFacts): KindKey[] {
    const found = new Found();
    this.#addTargets(found, config);
    return found.keys();
  }

  /** The workloads of the namespace, and targets of configs with a namespaceSelector; for the operator's own, all. */
  byNamespace(namespace: string): KindKey[] {
    const { configs, workloads, settings } = this.#options;
    const found = new Found();
    if (namespace === settings.operatorNamespace)
      for (const store of workloads) this.#add(found, store.list());
    else this.#addNamespace(found, namespace);
    for (const config of configs?.byIndex('scans', EVERYWHERE) ?? []) this.#addTargets(found, config);
    return found.keys();
  }

  /** A workload there sets its wave by annotation. */
  isOrdered(namespace: string): boolean {
    for (const store of this.#options.workloads)
      for (const _ of store.byIndex('waves', namespace)) return true;
    return false;
  }

  /** Whether anything opts the workload in to reloads. */
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
      const ref = refOf(workload);
      const key = workloadKey(ref);
      if (this.asks(workload)) found.add(ref, key);
      for (const store of this.#options.borrowing ?? this.#options.workloads)
        for (const user of store.byIndex('templates', key)) found.add(refOf(user));
    }
  }

  /** Without targets in namespaces that do not allow it: one config may name thousands of them. */
  #addTargets(found: Found, config: ConfigFacts): void {
    const { world, settings } = this.#options;
    for (const target of config.targets)
      if (!crossNamespaceDenied(config, target, world, settings)) found.add(target);
  }

  #addNamespace(found: Found, namespace: string): void {
    for (const store of this.#options.workloads) this.#add(found, store.list(namespace));
  }

  /** Does not evaluate expressions, because one source may concern many lists: the workload's own pass does that. */
  #isListed({ kind, name }: SourceRef, workload: WorkloadFacts): boolean {
    for (const list of this.#listsOf(workload).get(kind) ?? []) if (list.known(name) ?? true) return true;
    return false;
  }

  /** Valid within one burst: the workloads found first are reconciled after it, with all of its events. */
  #wasReplayed(scan: string): boolean {
    if (this.#replayed.size === 0) queueMicrotask(() => this.#replayed.clear());
    const known = this.#replayed.has(scan);
    this.#replayed.add(scan);
    return known;
  }

  #listsOf(workload: WorkloadFacts): ReadonlyMap<SourceKind, readonly NamedList[]> {
    const known = this.#lists.get(workload);
    if (known) return known;
    const { names } = this.#options.settings;
    const read = new Map(
      SOURCE_KINDS.map((kind) => [kind, listsFor(kind, workload, names).map((text) => namedList(text))]),
    );
    this.#lists.set(workload, read);
    return read;
  }

  #isNamedByNamespace({ kind, namespace, name }: SourceRef): boolean {
    const { settings, world } = this.#options;
    if (!settings.namespaceDefaults) return false;
    const text = listIn(kind, world.namespace(namespace)?.annotations ?? NO_TEXTS, settings.names);
    return text !== undefined && (namedList(text).known(name) ?? true);
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
}

/** Workloads, each once. */
class Found {
  readonly #keys = new Map<string, KindKey>();

  add({ kind, namespace, name }: WorkloadRef, key = workloadKey({ kind, namespace, name })): void {
    this.#keys.set(key, { kind, namespace, name });
  }

  keys(): KindKey[] {
    return [...this.#keys.values()];
  }
}

function hasTexts(texts: Texts): boolean {
  for (const _ in texts) return true;
  return false;
}
