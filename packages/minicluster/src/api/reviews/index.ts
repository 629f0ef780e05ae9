/** Review kinds: answered and never stored. */
import type { Kind } from '../../kinds/index.ts';
import type { Verb } from '../call.ts';
import { createBinding } from '../subresources/binding.ts';
import { reviewSelf, reviewToken } from './authentication.ts';
import { reviewLocalAccess, reviewRules, reviewSelfAccess, reviewSubjectAccess } from './authorization.ts';

const BY_KIND: Readonly<Record<string, Verb>> = {
  Binding: createBinding,
  LocalSubjectAccessReview: reviewLocalAccess,
  SelfSubjectAccessReview: reviewSelfAccess,
  SelfSubjectReview: reviewSelf,
  SelfSubjectRulesReview: reviewRules,
  SubjectAccessReview: reviewSubjectAccess,
  TokenReview: reviewToken,
};

/** Undefined for stored kinds, and for unsupported ones. */
export function virtualKinds(kind: Kind): Verb | undefined {
  return kind.virtual ? BY_KIND[kind.kind] : undefined;
}
