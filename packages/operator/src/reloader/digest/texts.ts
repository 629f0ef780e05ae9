/** Maps of texts as users write them, cut down to what is kept. */
import { type AnnotationNames, isOurs } from '../model/annotations.ts';

export type Texts = Readonly<Record<string, string>>;

/** Most objects have nothing of ours: they share one empty map. */
export const NO_TEXTS: Texts = Object.freeze({});

/** The annotations that we read. */
export function ourAnnotations(annotations: Texts | undefined, names: AnnotationNames): Texts {
  if (!annotations) return NO_TEXTS;
  const kept = Object.entries(annotations).filter(
    ([name, value]) => typeof value === 'string' && isOurs(name, names),
  );
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
