/**
 * What a pod template uses, by source.
 *
 * In: the facts of a template. Out: who uses a source, and which of its keys. A template may name ten thousand sources, and
 * each of them is asked about: so it is read once, for all questions that follow about the same one.
 */
import type { ContainerFacts, PodFacts, SourceUse } from '../model/pod-facts.ts';
import type { SourceKind } from '../model/source.ts';

export interface UsedSource {
  readonly kind: SourceKind;
  readonly name: string;
}

/** Many times what a record holds. */
export const MOST_SOURCES = 1_000;

export class PodUses {
  /** Each source once, in the order of the template; of more than a thousand, the first. */
  readonly sources: readonly UsedSource[];
  /** How many there are beyond that. */
  readonly leftOut: number;
  /** By source: only the first volume counts, also when a later one is the mounted one. */
  readonly #volumes = new Map<string, string>();
  /** By volume. */
  readonly #mounts = new Map<string, string>();
  /** By source. */
  readonly #reads = new Map<string, string>();
  /** By source; undefined for all. */
  readonly #keys = new Map<string, Set<string> | undefined>();

  constructor({ volumes, containers, initContainers }: PodFacts) {
    const found = new Map<string, UsedSource>();
    const note = (use: SourceUse): string => {
      const id = idOf(use);
      if (!found.has(id)) found.set(id, { kind: use.kind, name: use.name });
      this.#noteKeys(id, use);
      return id;
    };
    for (const { name, sources } of volumes)
      for (const use of sources) setFirst(this.#volumes, note(use), name);
    const [first] = containers;
    // Init containers stand for the first regular one, behind all of those.
    const carriers: [ContainerFacts, string | undefined][] = [
      ...containers.map((each): [ContainerFacts, string] => [each, each.name]),
      ...initContainers.map((each): [ContainerFacts, string | undefined] => [each, first?.name]),
    ];
    for (const [{ mounts, env }, carrier] of carriers) {
      if (carrier !== undefined) for (const volume of mounts) setFirst(this.#mounts, volume, carrier);
      for (const use of env) {
        const id = note(use);
        if (carrier !== undefined) setFirst(this.#reads, id, carrier);
      }
    }
    const all = [...found.values()];
    this.sources = all.length > MOST_SOURCES ? all.slice(0, MOST_SOURCES) : all;
    this.leftOut = all.length - this.sources.length;
  }

  has(source: UsedSource): boolean {
    return this.#keys.has(idOf(source));
  }

  /** Who mounts it, before who reads it into its environment. */
  container(source: UsedSource): string | undefined {
    const id = idOf(source);
    const volume = this.#volumes.get(id);
    return (volume === undefined ? undefined : this.#mounts.get(volume)) ?? this.#reads.get(id);
  }

  /** Undefined for all, an empty list where it uses none. */
  keys(source: UsedSource): readonly string[] | undefined {
    const id = idOf(source);
    if (!this.#keys.has(id)) return [];
    const keys = this.#keys.get(id);
    return keys && [...keys].sort();
  }

  #noteKeys(id: string, { keys }: SourceUse): void {
    const known = this.#keys.get(id);
    if (keys === undefined) this.#keys.set(id, undefined);
    else if (!this.#keys.has(id)) this.#keys.set(id, new Set(keys));
    else for (const key of keys) known?.add(key);
  }
}

let last: { readonly pod: PodFacts; readonly uses: PodUses } | undefined;

/** One is kept: a pass over a workload asks about one template, again and again. */
export function usesOf(pod: PodFacts): PodUses {
  if (last?.pod !== pod) last = { pod, uses: new PodUses(pod) };
  return last.uses;
}

function idOf({ kind, name }: UsedSource): string {
  return `${kind}/${name}`;
}

function setFirst(map: Map<string, string>, key: string, value: string): void {
  if (!map.has(key)) map.set(key, value);
}
