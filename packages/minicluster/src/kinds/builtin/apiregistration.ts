/** apiregistration.k8s.io: APIServices, read-only and empty, for clients that list them. */
import type { Kind } from '../kind.ts';
import { define } from './define.ts';

export const apiServices: Kind = define({
  group: 'apiregistration.k8s.io',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
  categories: ['api-extensions'],
  verbs: ['get', 'list', 'watch'],
  hasStatus: true,
  generation: 'never',
});
