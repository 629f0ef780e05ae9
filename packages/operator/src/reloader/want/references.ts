/** What a pod template names, mounted or not: each source once. */
import type { PodFacts, SourceUse } from '../model/pod-facts.ts';
import type { SourceKind } from '../model/source.ts';

export interface Referenced {
  readonly kind: SourceKind;
  readonly name: string;
}

export function referencedBy(pod: PodFacts): readonly Referenced[] {
  const found = new Map<string, Referenced>();
  for (const { kind, name } of usesOf(pod)) found.set(`${kind}/${name}`, { kind, name });
  return [...found.values()];
}

export function references(pod: PodFacts, { kind, name }: Referenced): boolean {
  for (const use of usesOf(pod)) if (use.kind === kind && use.name === name) return true;
  return false;
}

function* usesOf(pod: PodFacts): Iterable<SourceUse> {
  for (const { sources } of pod.volumes) yield* sources;
  for (const { env } of pod.containers) yield* env;
  for (const { env } of pod.initContainers) yield* env;
}
