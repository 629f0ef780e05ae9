/**
 * Builds a kind from one version of a CustomResourceDefinition. The schema is compiled once; validation, pruning and
 * defaulting are in the schema folder. All versions are stored in the storage version; conversion changes only the
 * apiVersion (conversion strategy None).
 */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../model/object.ts';
import type { FieldError } from '../../model/status.ts';
import { type CompiledRules, compileRules, validateRules } from '../../schema/cel.ts';
import type { Schema } from '../../schema/schema.ts';
import { applyDefaults, prune, validate } from '../../schema/structural.ts';
import { array, dig, type Fields, isRecord, record, records, setField, text } from '../fields.ts';
import { type Kind, type ScaleMapping, STORED_VERBS } from '../kind.ts';
import { contentChanged } from '../strategy.ts';
import { collect } from '../validate/field.ts';
import { qualifiedName } from '../validate/names.ts';
import { compareVersions } from '../versions.ts';
import { columnsOf } from './columns.ts';
import { compileJsonPath } from './json-path.ts';
import { validateScale } from './scale.ts';

/** Throws if the CRD has no such version. */
export function kindFromCrd(crd: KubeObject, versionName: string): Kind {
  const spec = record(crd.spec);
  const versions = records(spec.versions);
  const version = versions.find((candidate) => candidate.name === versionName);
  if (!version)
    throw new Error(`CustomResourceDefinition ${crd.metadata.name} has no version ${versionName}`);
  const names = record(spec.names);
  const group = text(spec.group);
  const schema = dig(version, 'schema', 'openAPIV3Schema') as Schema | undefined;
  const hasStatus = isRecord(dig(version, 'subresources', 'status'));
  const scale = scaleOf(dig(version, 'subresources', 'scale'));
  const storageVersion = versions.find((candidate) => candidate.storage === true) ?? version;
  const judge = new Judge(schema, scale);
  return {
    group,
    version: versionName,
    kind: text(names.kind),
    plural: text(names.plural),
    singular: text(names.singular) || text(names.kind).toLowerCase(),
    namespaced: spec.scope === 'Namespaced',
    shortNames: array(names.shortNames).map(String),
    categories: array(names.categories).map(String),
    verbs: STORED_VERBS,
    ...(schema && { schema }),
    hasStatus,
    ...(scale && { scale }),
    columns: columnsOf(version),
    selectableFields: selectableFieldsOf(version),
    unknownFieldLabel: (label) => `field label not supported: ${label}`,
    requiresResourceVersion: true,
    freeFinalizers: true,
    statusKeepsMetadata: 'all',
    ...(version !== storageVersion && { storage: storageView(spec, versionName, storageVersion) }),
    ...(version.deprecated === true && { deprecationWarning: deprecationOf(spec, version) }),
    // Without a status subresource, status is an ordinary field.
    generation: (object, old) =>
      contentChanged(object, old) || (!hasStatus && !isDeepStrictEqual(object.status, old.status)),
    setDefaults: (object) => judge.complete(object),
    validateCreate: (object) => judge.validate(object),
    validateUpdate: (object, old) => judge.validate(object, old),
    validateStatusUpdate: (object, old) => judge.validateStatus(object, old),
    warnings: (object, old) => [...finalizerWarnings(object, old), ...judge.skippedRules],
  };
}

function scaleOf(value: unknown): ScaleMapping | undefined {
  if (!isRecord(value)) return undefined;
  const selector = text(value.labelSelectorPath);
  return {
    specReplicasPath: text(value.specReplicasPath),
    statusReplicasPath: text(value.statusReplicasPath),
    ...(selector && { labelSelectorPath: selector }),
  };
}

function selectableFieldsOf(version: Fields): NonNullable<Kind['selectableFields']> {
  const entries = records(version.selectableFields).map((selectable) => {
    const path = text(selectable.jsonPath);
    const read = compileJsonPath(path);
    const value = (object: KubeObject): string => String(read?.(object)[0] ?? '');
    return [path.replace(/^\./, ''), value] as const;
  });
  return Object.fromEntries(entries);
}

/** A stored object is read with the defaults of its storage version. */
function storageView(spec: Fields, version: string, storageVersion: Fields): NonNullable<Kind['storage']> {
  const group = text(spec.group);
  const names = record(spec.names);
  const stored = text(storageVersion.name);
  const judge = new Judge(dig(storageVersion, 'schema', 'openAPIV3Schema') as Schema | undefined, undefined);
  return {
    group,
    version: stored,
    kind: text(names.kind),
    plural: text(names.plural),
    toStored(object) {
      const copy = { ...object, apiVersion: `${group}/${stored}` };
      judge.complete(copy);
      return copy;
    },
    fromStored: (object) => ({ ...object, apiVersion: `${group}/${version}` }),
  };
}

/** Refers to the newest version that is not deprecated, if there is one. */
function deprecationOf(spec: Fields, version: Fields): string {
  const own = text(version.deprecationWarning);
  if (own) return own;
  const kind = text(record(spec.names).kind);
  const named = (name: unknown): string => `${text(spec.group)}/${text(name)} ${kind}`;
  const [better] = records(spec.versions)
    .filter((candidate) => candidate.served === true && candidate.deprecated !== true)
    .map((candidate) => text(candidate.name))
    .filter((candidate) => compareVersions(candidate, text(version.name)) < 0)
    .sort(compareVersions);
  return `${named(version.name)} is deprecated${better ? `; use ${named(better)}` : ''}`;
}

/** A schema with its compiled rules. */
class Judge {
  readonly #schema: Schema | undefined;
  readonly #scale: ScaleMapping | undefined;
  #rules: CompiledRules | undefined;

  constructor(schema: Schema | undefined, scale: ScaleMapping | undefined) {
    this.#schema = schema;
    this.#scale = scale;
  }

  get skippedRules(): readonly string[] {
    return this.#compiled()?.skipped ?? [];
  }

  /** Prunes unknown fields and sets defaults. */
  complete(object: KubeObject): void {
    if (!this.#schema) return;
    const completed = applyDefaults(prune(object, this.#schema).object, this.#schema);
    for (const field of Object.keys(object)) if (!(field in completed)) delete object[field];
    for (const [field, value] of Object.entries(completed)) setField(object, field, value);
  }

  validate(object: KubeObject, old?: KubeObject): FieldError[] {
    const errors = [
      ...(this.#schema ? validate(object, this.#schema, old ? { old } : {}) : []),
      ...this.#scaleErrors(object, true),
    ];
    return [...errors, ...this.#ruleErrors(object, old, errors)];
  }

  validateStatus(object: KubeObject, old: KubeObject): FieldError[] {
    const errors = this.#schema
      ? validate(object, this.#schema, { old }).filter(({ field }) => /^status(?:[.[]|$)/.test(field))
      : [];
    errors.push(...this.#scaleErrors(object, false));
    return [...errors, ...this.#ruleErrors(object, old, errors)];
  }

  #scaleErrors(object: KubeObject, withSpec: boolean): FieldError[] {
    const scale = this.#scale;
    return scale ? collect(object, (root) => validateScale(root, scale, withSpec)) : [];
  }

  /** CEL rules run only on objects that pass the schema. */
  #ruleErrors(object: KubeObject, old: KubeObject | undefined, errors: readonly FieldError[]): FieldError[] {
    const rules = this.#compiled();
    if (!rules) return [];
    const blocking = errors.some(({ reason }) => BLOCKING.has(reason));
    if (blocking) return [RULES_NOT_CHECKED];
    return validateRules(object, old, rules);
  }

  #compiled(): CompiledRules | undefined {
    if (!this.#rules && this.#schema && hasRules(this.#schema)) this.#rules = compileRules(this.#schema);
    return this.#rules;
  }
}

const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const RULES_NOT_CHECKED: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

function hasRules(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasRules);
  if (!isRecord(schema)) return false;
  if (array(schema['x-kubernetes-validations']).length > 0) return true;
  return Object.values(schema).some(hasRules);
}

/** New finalizer names that could clash with others. */
function finalizerWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const known = new Set(old?.metadata.finalizers ?? []);
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !known.has(finalizer));
  return [...new Set(added)].sort().flatMap((finalizer) => {
    const shown = `metadata.finalizers: "${finalizer}": `;
    const warnings = qualifiedName(finalizer).map((reason) => `${shown}${reason}`);
    if (!finalizer.includes('/') && !['orphan', 'foregroundDeletion', 'kubernetes'].includes(finalizer)) {
      const detail = finalizer.includes('.') ? ' including a path (/)' : '';
      warnings.push(
        `${shown}prefer a domain-qualified finalizer name${detail} to avoid accidental conflicts with other finalizer writers`,
      );
    }
    return warnings;
  });
}
