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
import { SOURCE_KINDS, type SourceKind, type SourceRef, sourceKey } from '../model/source.ts';
import { refOf, type WorkloadFacts, type WorkloadRef, workloadKey } from '../model/workload.ts';
import type { World } from '../model/world.ts';
import { crossNamespaceDenied } from '../want/cross-namespace.ts';
import { type NamedList, namedList } from '../want/named-list.ts';
import { EVERYWHERE, listIn, listsFor, scanTerm } from './terms.ts';

export interface AffectedWorkloadsOptions {
  /** One store per kind of workload, with `workloadIndexes`. */
  readonly workloads: readonly ReadonlyStore<WorkloadFacts>[];
  /** With `configIndexes`; undefined where there are none. */
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
  /** Read once for each workload: every source of a namespace asks everybody there who has expressions. */
  readonly #lists = new WeakMap<WorkloadFacts, ReadonlyMap<SourceKind, readonly NamedList[]>>();
  #isNoted: (ref: WorkloadRef) => boolean = () => false;

  constructor(options: AffectedWorkloadsOptions) {
    this.#options = options;
  }

  /** Workloads that are in the notebook are looked at, too, although nothing asks for them any more. */
  remember(isNoted: (ref: WorkloadRef) => boolean): void {
    this.#isNoted = isNoted;
  }

  /**
   * `labels`: those it has, and those it had. `replayed`: one of many that are told at once because somebody begins to
   * listen; the first of a namespace finds everybody there who has expressions, and the others need not.
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

  /** Itself, and who uses its template. */
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

  /** All that lives there, and targets of configs that choose namespaces; all there is for the operator's own. */
  byNamespace(namespace: string): KindKey[] {
    const { configs, workloads, settings } = this.#options;
    const found = new Found();
    if (namespace === settings.operatorNamespace)
      for (const store of workloads) this.#add(found, store.list());
    else this.#addNamespace(found, namespace);
    for (const config of configs?.byIndex('scans', EVERYWHERE) ?? []) this.#addTargets(found, config);
    return found.keys();
  }

  /** Somebody there says its wave by annotation. */
  isOrdered(namespace: string): boolean {
    for (const store of this.#options.workloads)
      for (const _ of store.byIndex('waves', namespace)) return true;
    return false;
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

  /** Not those in namespaces that have not allowed it: one config may name thousands, and they are none of its business. */
  #addTargets(found: Found, config: ConfigFacts): void {
    const { world, settings } = this.#options;
    for (const target of config.targets)
      if (!crossNamespaceDenied(config, target, world, settings)) found.add(target);
  }

  #addNamespace(found: Found, namespace: string): void {
    for (const store of this.#options.workloads) this.#add(found, store.list(namespace));
  }

  /** Expressions are not asked here, where one source concerns many lists: the workload's own pass does that. */
  #isListed({ kind, name }: SourceRef, workload: WorkloadFacts): boolean {
    for (const list of this.#listsOf(workload).get(kind) ?? []) if (list.known(name) ?? true) return true;
    return false;
  }

  /** Within one burst: whoever was found is looked at when it is over, with all of it. */
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

  add({ kind, namespace, name }: WorkloadRef): void {
    this.#keys.set(workloadKey({ kind, namespace, name }), { kind, namespace, name });
  }

  keys(): KindKey[] {
    return [...this.#keys.values()];
  }
}

function hasTexts(texts: Texts): boolean {
  for (const _ in texts) return true;
  return false;
}
