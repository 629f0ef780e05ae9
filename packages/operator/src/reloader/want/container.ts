/**
 * Which container carries the mark of a reload, in Stakater's order: who mounts the source, then who reads it into its
 * environment, then (for lists by name) the first. Init containers stand for the first regular one.
 */
import type { ContainerFacts, PodFacts, SourceUse } from '../model/pod-facts.ts';
import type { SourceKind } from '../model/source.ts';

export interface UsedSource {
  readonly kind: SourceKind;
  readonly name: string;
}

const isOf =
  ({ kind, name }: UsedSource) =>
  (use: SourceUse): boolean =>
    use.kind === kind && use.name === name;

/** The name of the container; undefined when none uses the source. */
export function containerUsing(pod: PodFacts, source: UsedSource): string | undefined {
  const [first] = pod.containers;
  if (!first) return undefined;
  // Only the first matching volume counts, also when a later one is the mounted one.
  const volume = pod.volumes.find(({ sources }) => sources.some(isOf(source)));
  const mounts = ({ mounts: names }: ContainerFacts): boolean =>
    volume !== undefined && names.includes(volume.name);
  const reads = ({ env }: ContainerFacts): boolean => env.some(isOf(source));
  for (const uses of [mounts, reads]) {
    const container = pod.containers.find(uses);
    if (container) return container.name;
    if (pod.initContainers.some(uses)) return first.name;
  }
  return undefined;
}

/** For a list by name the use is not asked for: the first container serves. */
export function containerFor(pod: PodFacts, source: UsedSource, mustUse: boolean): string | undefined {
  return containerUsing(pod, source) ?? (mustUse ? undefined : pod.containers[0]?.name);
}

/** The keys that the pod can see; undefined for all, an empty list where it uses none. */
export function keysUsed(pod: PodFacts, source: UsedSource): readonly string[] | undefined {
  const uses = [
    ...pod.volumes.flatMap(({ sources }) => sources),
    ...[...pod.containers, ...pod.initContainers].flatMap(({ env }) => env),
  ].filter(isOf(source));
  if (uses.some(({ keys }) => keys === undefined)) return undefined;
  return [...new Set(uses.flatMap(({ keys = [] }) => keys))].sort();
}
