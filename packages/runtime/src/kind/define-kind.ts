/**
 * Defines a kind once: the TypeScript type of its objects, its REST resource, the CustomResourceDefinition, offline
 * validation and a reference page are all derived from it.
 */
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { StandardStatus } from '../builder/types.ts';
import { apiVersionOf, type ResourceType, resourceName } from '../client/resource.ts';
import type { KubernetesObject } from '../model/types.ts';
import { type ReferenceOptions, referencePage } from './reference.ts';
import { standardStatus, Type } from './schema.ts';
import { type StructuralSchema, structural } from './structural.ts';
import { type FieldProblem, problemsOf } from './validate.ts';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  /** Above 0: only with `-o wide`. */
  readonly priority?: number;
}

/** Another version that is served as well. */
export interface OtherVersion {
  readonly name: string;
  readonly spec: TSchema;
  readonly status?: TProperties;
  readonly served?: boolean;
  /** A deprecation warning for its users. */
  readonly deprecationWarning?: string;
}

/** Everything that is said about a kind: names, schemas, columns, versions. */
export interface KindDefinition<S extends TSchema, U extends TProperties> {
  /** A domain of yours: `example.com`. */
  readonly group: string;
  /** The stored version: `v1`. */
  readonly version: string;
  /** `Greeting`. */
  readonly kind: string;
  /** The kind in lower case with an `s` unless given. */
  readonly plural?: string;
  /** Short names for kubectl. */
  readonly shortNames?: readonly string[];
  /** Groups of kinds for kubectl, such as `all`. */
  readonly categories?: readonly string[];
  /** `Namespaced` unless given. */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Its purpose, in one sentence. */
  readonly description: string;
  /** The part that users write: `Type.Object({ … })`. */
  readonly spec: S;
  /** Your own fields besides `conditions`, `observedGeneration` and `phase`. */
  readonly status?: U;
  /** The status, in one sentence. */
  readonly statusDescription?: string;
  /** False for a status with only your own fields. */
  readonly standardStatus?: boolean;
  /** Name, Ready, its reason and the age unless given. */
  readonly columns?: readonly PrinterColumn[];
  /** Enables `kubectl scale`. */
  readonly scale?: { readonly spec: string; readonly status: string; readonly selector?: string };
  /** Whether an object must have a spec. True unless given. */
  readonly specRequired?: boolean;
  /** Further versions that are served. Objects are stored in `version`. */
  readonly otherVersions?: readonly OtherVersion[];
}

/** The type of a kind's objects, derived from its schemas. */
export type KindObject<S extends TSchema, U extends TProperties> = KubernetesObject & {
  spec: Static<S>;
  status?: Static<TObject<U>> & StandardStatus;
};

/** A kind: pass it to the client, an informer or `operator`. */
export interface Kind<T extends KubernetesObject> extends ResourceType<T> {
  /** The argument of `defineKind`. */
  readonly definition: KindDefinition<TSchema, TProperties>;
  /** The CustomResourceDefinition, for a file or `installCrd`. */
  crd(): CustomResource;
  /** Validates an object against the schema; only the server evaluates CEL rules. */
  validate(object: unknown): FieldProblem[];
  /** A page of Markdown: every field with its type, its limits and its meaning. */
  reference(options?: ReferenceOptions): string;
}

/** A CustomResourceDefinition, as `crd()` returns it. */
export interface CustomResource extends KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: {
    group: string;
    scope: string;
    names: Record<string, unknown> & { kind: string; plural: string };
    versions: CrdVersion[];
  };
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  additionalPrinterColumns?: readonly PrinterColumn[];
  schema: { openAPIV3Schema: StructuralSchema };
  [field: string]: unknown;
}

const condition = (type: string, field: string): string =>
  `.status.conditions[?(@.type=="${type}")].${field}`;
const DEFAULT_COLUMNS: readonly PrinterColumn[] = [
  { name: 'Ready', type: 'string', jsonPath: condition('Ready', 'status') },
  { name: 'Reason', type: 'string', jsonPath: condition('Ready', 'reason') },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/**
 * A kind from one definition. It is a `ResourceType`: pass it to the client, to informers and to `operator`.
 *
 * @example
 * ```ts
 * const Greeting = defineKind({
 *   group: 'example.com',
 *   version: 'v1',
 *   kind: 'Greeting',
 *   description: 'Says hello to somebody.',
 *   spec: Type.Object({
 *     who: Type.String({ description: 'Whom to greet.', minLength: 1, maxLength: 64 }),
 *     polite: Type.Optional(Type.Boolean({ description: 'With a bow.', default: false })),
 *   }),
 * });
 * ```
 *
 * @experimental
 */
export function defineKind<S extends TSchema, U extends TProperties = Record<never, never>>(
  definition: KindDefinition<S, U>,
): Kind<KindObject<S, U>> {
  const { group, version, kind, scope = 'Namespaced' } = definition;
  const plural = definition.plural ?? `${kind.toLowerCase()}s`;
  const type = { group, version, kind, plural, namespaced: scope === 'Namespaced' };
  // From here on only the schema values are read, not the types derived from them.
  const described = definition as unknown as KindDefinition<TSchema, TProperties>;
  return {
    ...type,
    definition: described,
    crd: () => crdOf(described, type),
    validate: (object) => problemsOf(rootSchema(described, type), object),
    reference: (options) => referencePage(crdOf(described, type), options),
  };
}

function crdOf(definition: KindDefinition<TSchema, TProperties>, type: ResourceType): CustomResource {
  const { kind, plural, group } = type;
  const { shortNames, categories, scope = 'Namespaced', otherVersions = [] } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: resourceName(type) },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames && { shortNames }),
        ...(categories && { categories }),
      },
      versions: [
        versionOf(definition, type, true),
        ...otherVersions.map((other) => {
          const { name, served = true, deprecationWarning, ...schemas } = other;
          const described = { ...definition, ...schemas };
          return {
            ...versionOf(described, { ...type, version: name }, false),
            served,
            ...(deprecationWarning !== undefined && { deprecated: true, deprecationWarning }),
          };
        }),
      ],
    },
  };
}

function versionOf(
  definition: KindDefinition<TSchema, TProperties>,
  type: ResourceType,
  storage: boolean,
): CrdVersion {
  const { scale, columns = DEFAULT_COLUMNS } = definition;
  return {
    name: type.version,
    served: true,
    storage,
    subresources: {
      status: {},
      ...(scale && {
        scale: {
          specReplicasPath: scale.spec,
          statusReplicasPath: scale.status,
          ...(scale.selector && { labelSelectorPath: scale.selector }),
        },
      }),
    },
    additionalPrinterColumns: columns,
    schema: { openAPIV3Schema: rootSchema(definition, type) },
  };
}

function rootSchema(
  {
    description,
    spec,
    status = {},
    standardStatus: hasStandard = true,
    statusDescription = 'Written by the operator.',
    specRequired = true,
  }: KindDefinition<TSchema, TProperties>,
  type: ResourceType,
): StructuralSchema {
  const fields = hasStandard ? { ...status, ...standardStatus } : status;
  return {
    description,
    type: 'object',
    ...(specRequired && { required: ['spec'] }),
    properties: {
      apiVersion: { type: 'string', description: apiVersionOf(type) },
      kind: { type: 'string', description: type.kind },
      metadata: { type: 'object' },
      spec: structural(spec, `${type.kind}.spec`),
      status: structural(Type.Object(fields, { description: statusDescription }), `${type.kind}.status`),
    },
  };
}
