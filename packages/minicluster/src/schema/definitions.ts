/**
 * The schemas of the built-in kinds, as a real API server publishes them. The table is parsed on first use. Schemas
 * are shared: callers must not change them.
 */
import { OPENAPI } from './openapi.generated.ts';
import type { Schema } from './schema.ts';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export type RootSchema = Schema & {
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
};

const REF_PREFIX = '#/definitions/';
const META = `${REF_PREFIX}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`;

let byRef: Map<string, RootSchema> | undefined;
let byKind: Map<string, RootSchema> | undefined;

function load(): Map<string, RootSchema> {
  byRef ??= new Map(
    Object.entries(JSON.parse(OPENAPI) as Record<string, RootSchema>).map(([name, schema]) => [
      REF_PREFIX + name,
      schema,
    ]),
  );
  return byRef;
}

const kindKey = ({ group, version, kind }: GroupVersionKind): string => `${group}/${version}/${kind}`;

/** `io.k8s.api.apps.v1.DeploymentSpec` → its schema. */
export function definition(name: string): Schema | undefined {
  return load().get(REF_PREFIX + name);
}

/** The name of this schema in the table. */
export function definitionNameOf(schema: Schema): string {
  for (const [ref, known] of load()) if (known === schema) return ref.slice(REF_PREFIX.length);
  throw new Error('the schema is not one of the built-in types');
}

/** The schema of a built-in kind, also of kinds that are only bodies: Scale, Eviction, reviews, DeleteOptions. */
export function schemaFor(gvk: GroupVersionKind): Schema | undefined {
  if (!byKind) {
    byKind = new Map();
    for (const schema of load().values()) {
      for (const each of schema['x-kubernetes-group-version-kind'] ?? []) byKind.set(kindKey(each), schema);
    }
  }
  return byKind.get(kindKey(gvk));
}

/** The kind whose root schema this is. */
export function kindOf(schema: RootSchema): GroupVersionKind | undefined {
  return schema['x-kubernetes-group-version-kind']?.[0];
}

/** Follows `$ref`, also inside a single `allOf`. Fields next to the reference win. */
export function resolve(schema: Schema): Schema {
  const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  if (reference === undefined) return schema;
  const target = load().get(reference);
  if (!target) throw new Error(`schema refers to ${reference}, which is not in the table of built-in types`);
  const mapType = schema['x-kubernetes-map-type'];
  return mapType && target['x-kubernetes-map-type'] !== mapType
    ? { ...target, 'x-kubernetes-map-type': mapType }
    : target;
}

const ANYTHING: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const complete = new WeakMap<Schema, Schema>();

/**
 * A custom resource's whole schema: the CRD's, plus apiVersion, kind and metadata. Without a schema everything is
 * allowed.
 */
export function customResourceSchema(openAPIV3Schema: Schema | undefined): Schema {
  const given = openAPIV3Schema ?? ANYTHING;
  const known = complete.get(given);
  if (known) return known;
  const whole: Schema = {
    ...given,
    type: 'object',
    properties: {
      ...given.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { $ref: META },
    },
  };
  complete.set(given, whole);
  return whole;
}
