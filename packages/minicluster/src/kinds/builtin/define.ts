/** Helpers for defining a built-in kind. */
import type { KubeObject } from '../../model/object.ts';
import { dig, type Fields, isRecord, record, text } from '../fields.ts';
import { type Kind, STORED_VERBS } from '../kind.ts';

interface Required {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly plural: string;
}

/** A namespaced kind of the core group in v1 with all eight verbs, unless overridden. */
export function define(description: Required & Partial<Omit<Kind, keyof Required>>): Kind {
  const { group = '', version = 'v1' } = description;
  return {
    namespaced: true,
    verbs: STORED_VERBS,
    singular: description.kind.toLowerCase(),
    definition: `${definitionPackage(group)}.${version}.${description.kind}`,
    ...(description.hasStatus && { emptyStatus: {} }),
    ...description,
    group,
    version,
  };
}

function definitionPackage(group: string): string {
  if (group === 'apiextensions.k8s.io') return 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions';
  if (group === 'apiregistration.k8s.io') return 'io.k8s.kube-aggregator.pkg.apis.apiregistration';
  return `io.k8s.api.${group === '' ? 'core' : group.split('.')[0]}`;
}

/** `spec`, created if absent, for setting defaults. */
export function specOf(object: KubeObject): Fields {
  if (!isRecord(object.spec)) object.spec = {};
  return record(object.spec);
}

/** The usual error for an unknown field selector. */
export const notSupported = (label: string): string => `field label not supported: ${label}`;

/** Reads one text field for a field selector. */
export const textAt =
  (...path: readonly string[]) =>
  (object: KubeObject): string =>
    text(dig(object, ...path));
