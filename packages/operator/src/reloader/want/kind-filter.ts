/**
 * `match: "configmap|secret"` and `kind: "secret"` on a workload narrow auto and search to those kinds of source. A
 * value without any known kind narrows nothing; unknown words are reported.
 */
import type { AnnotationNames } from '../model/annotations.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { SourceKind } from '../model/source.ts';
import type { Problem } from '../model/want.ts';
import { own } from './own.ts';

const WORDS: Readonly<Record<string, SourceKind>> = {
  configmap: 'ConfigMap',
  secret: 'Secret',
  secretproviderclass: 'SecretProviderClass',
};

export interface KindFilter {
  allows(kind: SourceKind): boolean;
  readonly problems: readonly Problem[];
}

/** The first of the maps that has the annotation counts. */
export function kindFilter(
  places: readonly Readonly<Record<string, string>>[],
  names: AnnotationNames,
): KindFilter {
  const filters: SourceKind[][] = [];
  const problems: Problem[] = [];
  for (const field of [names.match, FIXED_ANNOTATIONS.kind]) {
    const text = places.map((place) => own(place, field)).find((value) => value !== undefined);
    const { kinds, unknown } = parseKindFilter(text);
    if (kinds.length > 0) filters.push(kinds);
    if (unknown.length > 0) {
      const words = unknown.slice(0, 5).map((word) => JSON.stringify(word.slice(0, 60)));
      const message = `${words.join(', ')} in ${field} is no kind of source: use ${Object.keys(WORDS).join(', ')}, joined by "|"`;
      problems.push({ field, reason: 'UnknownKind', message });
    }
  }
  return { allows: (kind) => filters.every((kinds) => kinds.includes(kind)), problems };
}

export function parseKindFilter(text: string | undefined): { kinds: SourceKind[]; unknown: string[] } {
  const words = (text ?? '')
    .split('|')
    .map((word) => word.trim().toLowerCase())
    // `match: "true"` is meant for sources and often put on workloads by mistake: it names no kind.
    .filter((word) => word !== '' && word !== 'true' && word !== 'false');
  return {
    kinds: words.map((word) => own(WORDS, word)).filter((kind) => kind !== undefined),
    unknown: words.filter((word) => own(WORDS, word) === undefined),
  };
}
