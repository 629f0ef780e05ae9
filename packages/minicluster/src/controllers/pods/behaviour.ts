/**
 * Pod behaviour: by default pods start at once and stay ready. A script changes that for one workload, always or only
 * while a key of a ConfigMap or Secret has a certain value, so that a bad configuration really breaks a rollout.
 */
import { BEHAVIOUR_ANNOTATION, type ConfigCondition, type PodBehaviour } from '../../model/behaviour.ts';
import type { LocalApi } from '../../model/local-api.ts';
import { CONFIG_MAPS, SECRETS } from '../kind-refs.ts';
import type { Pod } from '../types.ts';

/** The pods affected, their behaviour, and the value of a ConfigMap or Secret on which it depends. */
export interface BehaviourScript {
  /** Pods of this namespace only. */
  readonly namespace?: string;
  /** Pods with all these labels only. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly behaviour: PodBehaviour;
  readonly when?: ConfigCondition;
}

export const DEFAULT_BEHAVIOUR: Required<Omit<PodBehaviour, 'fault'>> = {
  startMs: 20,
  readyMs: 10,
  stopMs: 10,
  runMs: 50,
};

export class Behaviours {
  readonly #api: LocalApi;
  readonly #scripts = new Set<BehaviourScript>();

  constructor(api: LocalApi) {
    this.#api = api;
  }

  /** Adds a script; if several match, later ones win field by field. Returns a function that removes it. */
  add(script: BehaviourScript): () => void {
    this.#scripts.add(script);
    return () => void this.#scripts.delete(script);
  }

  of(pod: Pod): PodBehaviour {
    const fitting = [...this.#scripts].filter((script) => this.#fits(script, pod));
    const annotated = this.#annotated(pod);
    return Object.assign({}, ...fitting.map(({ behaviour }) => behaviour), annotated) as PodBehaviour;
  }

  #fits({ namespace, labels, when }: BehaviourScript, pod: Pod): boolean {
    if (namespace !== undefined && namespace !== pod.metadata.namespace) return false;
    const wanted = Object.entries(labels ?? {});
    if (!wanted.every(([key, value]) => pod.metadata.labels?.[key] === value)) return false;
    return when === undefined || this.#holds(when, pod.metadata.namespace);
  }

  #holds({ kind, name, key, value }: ConfigCondition, namespace: string | undefined): boolean {
    const source = this.#api.get(kind === 'Secret' ? SECRETS : CONFIG_MAPS, { namespace, name });
    const data = source?.data as Record<string, string> | undefined;
    const found = data && Object.hasOwn(data, key) ? data[key] : undefined;
    if (found === undefined) return false;
    return (kind === 'Secret' ? Buffer.from(found, 'base64').toString() : found) === value;
  }

  /** Validation has already refused any other shape. */
  #annotated(pod: Pod): PodBehaviour {
    const text = pod.metadata.annotations?.[BEHAVIOUR_ANNOTATION];
    if (text === undefined) return {};
    const { when, ...behaviour } = JSON.parse(text) as PodBehaviour & { when?: ConfigCondition };
    return when === undefined || this.#holds(when, pod.metadata.namespace) ? behaviour : {};
  }
}
