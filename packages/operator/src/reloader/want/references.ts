/** The sources that a pod template names, mounted or not, each once. */
import type { PodFacts } from '../model/pod-facts.ts';
import { type UsedSource, usesOf } from './pod-uses.ts';

export function referencedBy(pod: PodFacts): readonly UsedSource[] {
  return usesOf(pod).sources;
}

export function references(pod: PodFacts, source: UsedSource): boolean {
  return usesOf(pod).has(source);
}
