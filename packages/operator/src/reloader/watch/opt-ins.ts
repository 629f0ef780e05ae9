/**
 * Opt-ins of workloads that this process observed. Changes of a source before the opt-in cause no reload.
 *
 * In: the events of informers that watch (not of kinds that are only listed). Out: for a workload, its observed opt-in.
 * Guarantees: bounded memory; of workloads and targets the latest are kept.
 */
import type { Clock, Informer } from '@reloader/runtime';
import type { AnnotationNames } from '../model/annotations.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { OptInSeen } from '../model/want.ts';
import { refOf, type WorkloadFacts, workloadKey } from '../model/workload.ts';
import type { NamespaceFacts } from '../model/world.ts';
import { isConfigChange, isNamespaceChange } from './relevant-changes.ts';

const MOST = 1000;

export class OptIns {
  readonly #names: readonly string[];
  /** Workloads by uid, targets by key. */
  readonly #workloads = new Set<string>();
  readonly #targets = new Set<string>();
  readonly #namespaces = new Map<string, number>();
  readonly #clock: Pick<Clock, 'now'>;

  constructor(
    { pausePeriod: _, pausedAt: __, match: ___, ...names }: AnnotationNames,
    clock: Pick<Clock, 'now'>,
  ) {
    this.#names = Object.values(names);
    this.#clock = clock;
  }

  followWorkloads(informer: Pick<Informer<WorkloadFacts>, 'addHandler'>): void {
    informer.addHandler((event) => {
      const { uid } = event.object.metadata;
      if (event.type === 'delete') this.#workloads.delete(uid);
      if (event.type !== 'update' || event.old.metadata.uid !== uid) return;
      if (this.#asksOtherwise(event.old, event.object)) add(this.#workloads, uid);
    });
  }

  followConfigs(informer: Pick<Informer<ConfigFacts>, 'addHandler'>): void {
    informer.addHandler((event) => {
      if (event.type === 'delete' || (event.type === 'add' && event.initial) || !isConfigChange(event))
        return;
      for (const target of event.object.targets) add(this.#targets, workloadKey(target));
    });
  }

  followNamespaces(informer: Pick<Informer<NamespaceFacts>, 'addHandler'>): void {
    informer.addHandler((event) => {
      const { name } = event.object.metadata;
      if (event.type === 'delete') this.#namespaces.delete(name);
      if (event.type === 'update' && isNamespaceChange(event))
        this.#namespaces.set(name, Math.floor(this.#clock.now() / 1000));
    });
  }

  seen(workload: WorkloadFacts): OptInSeen {
    return {
      annotation: this.#workloads.has(workload.metadata.uid),
      config: this.#targets.has(workloadKey(refOf(workload))),
      namespaces: this.#namespaces,
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

function add(set: Set<string>, key: string): void {
  set.delete(key);
  if (set.size >= MOST) {
    const [oldest] = set;
    if (oldest !== undefined) set.delete(oldest);
  }
  set.add(key);
}
