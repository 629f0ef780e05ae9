/** authentication.k8s.io and authorization.k8s.io: reviews, answered and never stored. */
import type { Kind } from '../kind.ts';
import { define } from './define.ts';

const review = (group: string, kind: string, plural: string, namespaced = false): Kind =>
  define({ group, kind, plural, namespaced, verbs: ['create'], virtual: true, generation: 'never' });

export const reviews: readonly Kind[] = [
  review('authentication.k8s.io', 'SelfSubjectReview', 'selfsubjectreviews'),
  review('authentication.k8s.io', 'TokenReview', 'tokenreviews'),
  review('authorization.k8s.io', 'LocalSubjectAccessReview', 'localsubjectaccessreviews', true),
  review('authorization.k8s.io', 'SelfSubjectAccessReview', 'selfsubjectaccessreviews'),
  review('authorization.k8s.io', 'SelfSubjectRulesReview', 'selfsubjectrulesreviews'),
  review('authorization.k8s.io', 'SubjectAccessReview', 'subjectaccessreviews'),
];
