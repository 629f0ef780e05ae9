/**
 * The result for every pod and config, from the last pass over the pod. Statuses are counted from it, so they report
 * what was carried out, and the pods' content need not be computed again.
 *
 * In: the outcomes of every pass. Out: which configs have changed results, and their counts. Results for an older
 * generation of a config, or for another config of its name, do not count.
 */
import type { PcmcFacts, Trouble } from './model.ts';
import type { Outcome } from './plan.ts';

export interface Summary {
  readonly matchedPods: number;
  /** Pods without a pass since the config changed, or whose ConfigMap is not written yet. */
  readonly outstanding: number;
  /** The first problem by the pod's name, and the number of problems. */
  readonly trouble: Trouble | undefined;
  readonly troubled: number;
}

interface Entry {
  readonly uid: string;
  readonly generation: number;
  readonly pods: Map<string, Outcome>;
}

export class Progress {
  /** By namespace and config. */
  readonly #entries = new Map<string, Map<string, Entry>>();

  /** True if the result for the pod has changed. */
  record({ metadata, generation }: PcmcFacts, pod: string, outcome: Outcome): boolean {
    const { namespace, name, uid } = metadata;
    const configs = this.#entries.get(namespace) ?? new Map<string, Entry>();
    this.#entries.set(namespace, configs);
    let entry = configs.get(name);
    if (entry?.uid !== uid || entry.generation !== generation) {
      entry = { uid, generation, pods: new Map() };
      configs.set(name, entry);
    }
    const before = entry.pods.get(pod);
    entry.pods.set(pod, outcome);
    return !isSame(before, outcome);
  }

  /** The pod was deleted. Returns the configs that counted it. */
  forgetPod(namespace: string, pod: string): string[] {
    const configs = this.#entries.get(namespace) ?? new Map<string, Entry>();
    return [...configs].flatMap(([name, { pods }]) => (pods.delete(pod) ? [name] : []));
  }

  forgetConfig(namespace: string, name: string): void {
    const configs = this.#entries.get(namespace);
    configs?.delete(name);
    if (configs?.size === 0) this.#entries.delete(namespace);
  }

  /** `pods`: those that exist and are not being deleted. */
  of({ metadata, generation }: PcmcFacts, pods: Iterable<string>): Summary {
    const entry = this.#entries.get(metadata.namespace)?.get(metadata.name);
    const outcomes =
      entry?.uid === metadata.uid && entry.generation === generation
        ? entry.pods
        : new Map<string, Outcome>();
    const found = { matchedPods: 0, outstanding: 0, troubled: 0 };
    let first: string | undefined;
    let trouble: Trouble | undefined;
    for (const pod of pods) {
      const outcome = outcomes.get(pod);
      if (outcome === 'unselected') continue;
      if (outcome !== undefined && !isLeftOver(outcome)) found.matchedPods += 1;
      if (outcome === undefined || outcome === 'open') found.outstanding += 1;
      if (outcome === undefined || typeof outcome === 'string') continue;
      found.troubled += 1;
      if (first !== undefined && first < pod) continue;
      first = pod;
      trouble = outcome;
    }
    return { ...found, trouble };
  }
}

function isLeftOver(outcome: Outcome): boolean {
  return typeof outcome !== 'string' && outcome.leftOver === true;
}

function isSame(one: Outcome | undefined, other: Outcome): boolean {
  if (one === undefined || typeof one === 'string' || typeof other === 'string') return one === other;
  return one.reason === other.reason && one.message === other.message && one.leftOver === other.leftOver;
}
