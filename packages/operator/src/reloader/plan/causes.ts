/**
 * The changed sources and their writers, as text for people. Stays the same while the same managers write the same
 * sources.
 */
import type { Cause } from '../model/plan.ts';
import { sourceKey } from '../model/source.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { Want } from '../model/want.ts';

const MOST_NAMED = 3;

export function causesText(causes: readonly Cause[], { sources }: Pick<Want, 'sources'>): string {
  if (causes.length === 0) return 'a reload that another tool undoes';
  const states = new Map(sources.map(({ ref, state }) => [sourceKey(ref), state]));
  const names = causes.slice(0, MOST_NAMED).map(({ ref }) => {
    const state = states.get(sourceKey(ref));
    const writers = state?.kind === 'present' ? writersOf(state.facts) : [];
    const by = writers.length > 0 ? ` (written by ${writers.join(' and ')})` : '';
    return `${ref.kind} ${ref.namespace}/${ref.name}${by}`;
  });
  const more = causes.length > MOST_NAMED ? ` and ${causes.length - MOST_NAMED} more` : '';
  return `${names.join(', ')}${more}`;
}

/** Two or more names mean that the writers fight over the source. */
function writersOf({ writtenBy, past = [] }: SourceFacts): string[] {
  const names = [writtenBy, ...past.map(({ by = '' }) => by)].filter((name) => name !== '');
  return [...new Set(names)].sort();
}
