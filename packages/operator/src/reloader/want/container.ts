/**
 * Selects the container that gets the variable of a reload, in Stakater's order: one that mounts the source, then one
 * that reads it into its environment, then (for lists by name) the first. Uses by init containers count for the first
 * regular container.
 */
import type { PodFacts } from '../model/pod-facts.ts';
import { type UsedSource, usesOf } from './pod-uses.ts';

/** The container's name; undefined if none uses the source. */
export function containerUsing(pod: PodFacts, source: UsedSource): string | undefined {
  return usesOf(pod).container(source);
}

/** For a list by name the pod need not use the source: then it is the first container. */
export function containerFor(pod: PodFacts, source: UsedSource, mustUse: boolean): string | undefined {
  return containerUsing(pod, source) ?? (mustUse ? undefined : pod.containers[0]?.name);
}

/** The keys that the pod uses; undefined for all, an empty list for none. */
export function keysUsed(pod: PodFacts, source: UsedSource): readonly string[] | undefined {
  return usesOf(pod).keys(source);
}
