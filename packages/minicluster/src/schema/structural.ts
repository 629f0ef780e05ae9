/** The steps that a structural schema applies to a custom resource. Each step is a file. */

export { validateCrdSchema } from './structural/crd-schema.ts';
export { applyDefaults } from './structural/defaults.ts';
export { type Pruned, prune } from './structural/prune.ts';
export { type ValidateOptions, validate } from './structural/validate.ts';
