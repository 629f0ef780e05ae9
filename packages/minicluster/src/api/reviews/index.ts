/** Kinds that are answered and never stored. */
import type { Kind } from '../../kinds/index.ts';
import type { Verb } from '../routes.ts';

const BY_KIND: Readonly<Record<string, Verb>> = {};

/** Undefined for kinds that are stored, and for those that nobody answers. */
export function virtualKinds(kind: Kind): Verb | undefined {
  return kind.virtual ? BY_KIND[kind.kind] : undefined;
}
