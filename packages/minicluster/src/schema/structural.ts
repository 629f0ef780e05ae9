/** What a structural schema does to a custom resource. Each step is a file of its own. */

export { validateCrdSchema } from './structural/crd-schema.ts';
export { applyDefaults } from './structural/defaults.ts';
export { type Pruned, prune } from './structural/prune.ts';
export { type ValidateOptions, validate } from './structural/validate.ts';
