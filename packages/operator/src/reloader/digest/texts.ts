/** Labels and annotations, reduced to the part that is cached. */
import { type AnnotationNames, isOurs } from '../model/annotations.ts';

export type Texts = Readonly<Record<string, string>>;

/** Most objects have none of our annotations: they share one empty map. */
export const NO_TEXTS: Texts = Object.freeze({});

/** There are about sixty annotations of ours. Thousands under our domain on one object must not fill the memory. */
const MOST_OURS = 200;

/** The annotations that we read. */
export function ourAnnotations(annotations: Texts | undefined, names: AnnotationNames): Texts {
  if (!annotations) return NO_TEXTS;
  const kept: [string, string][] = [];
  for (const name of Object.keys(annotations)) {
    const value = annotations[name];
    if (typeof value === 'string' && isOurs(name, names) && kept.push([name, value]) === MOST_OURS) break;
  }
  return kept.length === 0 ? NO_TEXTS : Object.fromEntries(kept);
}

export function allTexts(texts: Texts | undefined): Texts {
  if (!texts) return NO_TEXTS;
  for (const _ in texts) return texts;
  return NO_TEXTS;
}

export function sameTexts(a: Texts, b: Texts): boolean {
  if (a === b) return true;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}
