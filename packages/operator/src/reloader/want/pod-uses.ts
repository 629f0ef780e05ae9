/**
 * The uses of sources by a pod template, indexed by source.
 *
 * In: the facts of a template. Out: which container uses a source, and which of its keys. A template may name ten
 * thousand sources, and each is looked up, so the index is built once per template.
 */
import type { ContainerFacts, PodFacts, SourceUse } from '../model/pod-facts.ts';
import type { SourceKind } from '../model/source.ts';

export interface UsedSource {
  readonly kind: SourceKind;
  readonly name: string;
}

/** Many times the capacity of a record. */
export const MOST_SOURCES = 1_000;

export class PodUses {
  /** Each source once, in the order of the template; only the first thousand. */
  readonly sources: readonly UsedSource[];
  /** Number of sources beyond that limit. */
  readonly leftOut: number;
  /** Source to volume: only the first volume counts, even if only a later one is mounted. */
  readonly #volumes = new Map<string, string>();
  /** Volume to the container that mounts it. */
  readonly #mounts = new Map<string, string>();
  /** Source to the container that reads it into its environment. */
  readonly #reads = new Map<string, string>();
  /** Source to its used keys; undefined for all. */
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
    // Uses by init containers count for the first regular container, after those of all regular ones.
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

  /** The container that mounts the source; else the one that reads it into its environment. */
  container(source: UsedSource): string | undefined {
    const id = idOf(source);
    const volume = this.#volumes.get(id);
    return (volume === undefined ? undefined : this.#mounts.get(volume)) ?? this.#reads.get(id);
  }

  /** Undefined for all, an empty list if the pod does not use the source. */
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

/** Caches the last index: a pass looks up the same template many times. */
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
