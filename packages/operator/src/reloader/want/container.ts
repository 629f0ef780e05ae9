/**
 * Which container carries the mark of a reload, in Stakater's order: who mounts the source, then who reads it into its
 * environment, then (for lists by name) the first. Init containers stand for the first regular one.
 */
import type { PodFacts } from '../model/pod-facts.ts';
import { type UsedSource, usesOf } from './pod-uses.ts';

/** The name of the container; undefined when none uses the source. */
export function containerUsing(pod: PodFacts, source: UsedSource): string | undefined {
  return usesOf(pod).container(source);
}

/** For a list by name the use is not asked for: the first container serves. */
export function containerFor(pod: PodFacts, source: UsedSource, mustUse: boolean): string | undefined {
  return containerUsing(pod, source) ?? (mustUse ? undefined : pod.containers[0]?.name);
}

/** The keys that the pod can see; undefined for all, an empty list where it uses none. */
export function keysUsed(pod: PodFacts, source: UsedSource): readonly string[] | undefined {
  return usesOf(pod).keys(source);
}
