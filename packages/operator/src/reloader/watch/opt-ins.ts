/**
 * Opt-ins of workloads that this process observed, and deletions of ReloaderConfigs that opted them in. Changes of a
 * source before the opt-in cause no reload.
 *
 * In: the events of informers that watch (not of kinds that are only listed). Out: for a workload, its observed opt-in.
 * Guarantees: bounded memory; of workloads, targets and sources the latest are kept.
 */
import type { Clock, Informer } from '@reloader/runtime';
import { sameTexts } from '../digest/texts.ts';
import { type AnnotationNames, FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { LetIn, MarkedSource, OptInSeen } from '../model/want.ts';
import { refOf, type WorkloadFacts, workloadKey } from '../model/workload.ts';
import type { NamespaceFacts } from '../model/world.ts';
import { isConfigChange } from './relevant-changes.ts';

const MOST = 1000;

export type OptInSettings = Pick<
  ReloaderSettings,
  'names' | 'namespaceDefaults' | 'namespaces' | 'namespaceSelector'
>;

export class OptIns {
  readonly #names: readonly string[];
  /** Those that count on a Namespace. */
  readonly #namesOfNamespaces: readonly string[];
  readonly #isSelected: (namespace: NamespaceFacts) => boolean;
  /** Workloads by uid, each with its resourceVersion; targets by key. */
  readonly #workloads = new Map<string, string>();
  readonly #targets = new Map<string, true>();
  /** Targets of deleted ReloaderConfigs, each with the time of the deletion. */
  readonly #left = new Map<string, number>();
  readonly #namespaces = new Map<string, LetIn>();
  readonly #labelled = new Map<string, LetIn>();
  readonly #sources = new Map<string, MarkedSource>();
  /** Namespaces that this process has seen in scope: one that leaves and returns was opted in before. */
  readonly #selected = new Set<string>();
  readonly #clock: Pick<Clock, 'now'>;

  constructor(
    { names, namespaceDefaults, namespaces, namespaceSelector }: OptInSettings,
    clock: Pick<Clock, 'now'>,
  ) {
    this.#names = optInNames(names);
    this.#namesOfNamespaces = [FIXED_ANNOTATIONS.allowFrom, ...(namespaceDefaults ? this.#names : [])];
    this.#isSelected = ({ labels }) =>
      namespaces.length > 0 || !namespaceSelector || namespaceSelector.matches(labels);
    this.#clock = clock;
  }

  followWorkloads(informer: Pick<Informer<WorkloadFacts>, 'addHandler'>): void {
    informer.addHandler((event) => {
      const { uid } = event.object.metadata;
      if (event.type === 'delete') this.#workloads.delete(uid);
      if (event.type !== 'update' || event.old.metadata.uid !== uid) return;
      if (this.#asksOtherwise(event.old, event.object))
        put(this.#workloads, uid, event.object.metadata.resourceVersion);
    });
  }

  followConfigs(informer: Pick<Informer<ConfigFacts>, 'addHandler'>): void {
    informer.addHandler((event) => {
      const targets = event.object.targets.map(workloadKey);
      if (event.type === 'delete') {
        for (const target of targets) put(this.#left, target, this.#clock.now());
        return;
      }
      if ((event.type === 'add' && event.initial) || !isConfigChange(event)) return;
      for (const target of targets) put(this.#targets, target, true);
    });
  }

  followSources(informer: Pick<Informer<SourceFacts>, 'addHandler'>): void {
    informer.addHandler((event) => {
      const { metadata, digest, labels, annotations } = event.object;
      if (event.type === 'delete') this.#sources.delete(metadata.uid);
      if (event.type !== 'update' || event.old.metadata.uid !== metadata.uid) return;
      const before = { labels: event.old.labels, annotations: event.old.annotations };
      if (sameTexts(before.labels, labels) && sameTexts(before.annotations, annotations)) return;
      put(this.#sources, metadata.uid, { digest, before });
    });
  }

  followNamespaces(informer: Pick<Informer<NamespaceFacts>, 'addHandler'>): void {
    informer.addHandler((event) => {
      const { name, resourceVersion: version } = event.object.metadata;
      if (event.type === 'delete') {
        for (const each of [this.#namespaces, this.#labelled, this.#selected]) each.delete(name);
        return;
      }
      const letIn = { version, at: Math.floor(this.#clock.now() / 1000) };
      if (event.type === 'update' && this.#letsIn(event.old, event.object)) this.#namespaces.set(name, letIn);
      if (event.type === 'update' && !sameTexts(event.old.labels, event.object.labels))
        this.#labelled.set(name, letIn);
      if (this.#isSelected(event.object)) this.#selected.add(name);
    });
  }

  /** Other changes of a Namespace, such as a freeze, opt nothing in. */
  #letsIn(old: NamespaceFacts, now: NamespaceFacts): boolean {
    const wasSelected = this.#isSelected(old) || this.#selected.has(now.metadata.name);
    return (
      (this.#isSelected(now) && !wasSelected) ||
      this.#namesOfNamespaces.some((name) => old.annotations[name] !== now.annotations[name])
    );
  }

  seen(workload: WorkloadFacts): OptInSeen {
    const key = workloadKey(refOf(workload));
    return {
      annotation: this.#workloads.get(workload.metadata.uid),
      config: this.#targets.has(key),
      configGoneAt: this.#left.get(key),
      namespaces: this.#namespaces,
      labelled: this.#labelled,
      sources: this.#sources,
    };
  }

  #asksOtherwise(old: WorkloadFacts, now: WorkloadFacts): boolean {
    return this.#names.some(
      (name) =>
        old.annotations[name] !== now.annotations[name] ||
        old.templateAnnotations[name] !== now.templateAnnotations[name],
    );
  }
}

function optInNames({ pausePeriod: _, pausedAt: __, match: ___, ...names }: AnnotationNames): string[] {
  return Object.values(names);
}

function put<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  if (map.size >= MOST) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(key, value);
}
