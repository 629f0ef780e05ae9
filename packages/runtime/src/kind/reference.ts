/**
 * A reference page for a kind, from the same schema that the API server validates with.
 *
 * In: a definition. Out: Markdown, one table for each nested object, in the order of the schema.
 */
import { markdownTable } from './markdown-table.ts';
import type { StructuralSchema } from './structural.ts';

interface Definition {
  readonly group: string;
  readonly names: { readonly kind: string; readonly plural: string; readonly shortNames?: readonly string[] };
  readonly versions: readonly {
    readonly name: string;
    readonly additionalPrinterColumns?: readonly Column[];
    readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  }[];
}

interface Column {
  readonly name: string;
  readonly jsonPath: string;
  readonly priority?: number;
}

/** Title and introduction of a reference page. */
export interface ReferenceOptions {
  /** A link to the page that explains its use. */
  readonly guide?: string | undefined;
  /** A comment at the top: the source of the page. */
  readonly origin?: string | undefined;
}

/** `crd`: a CustomResourceDefinition. */
export function referencePage(
  crd: { readonly metadata?: { readonly name?: string }; readonly spec: object },
  options: ReferenceOptions = {},
): string {
  const { guide, origin } = options;
  const { group, names, versions } = crd.spec as Definition;
  const [version] = versions;
  if (!version) throw new Error(`${crd.metadata?.name} has no version`);
  const { openAPIV3Schema: root } = version.schema;
  const parts = ['spec', 'status'].flatMap((name) => {
    const schema = root.properties?.[name];
    return schema ? sections(name, schema) : [];
  });
  return `${[
    ...(origin === undefined ? [] : [`<!-- ${origin} -->`]),
    `# ${names.kind} reference`,
    guide === undefined
      ? (root.description ?? '')
      : `${root.description} How to use it is told in [the guide](${guide}).`,
    markdownTable(
      ['', ''],
      [
        ['apiVersion', code(`${group}/${version.name}`)],
        ['kind', code(names.kind)],
        ['kubectl', [names.plural, ...(names.shortNames ?? [])].map(code).join(', ')],
      ],
    ).trimEnd(),
    ...columns(version.additionalPrinterColumns ?? []),
    ...parts,
  ].join('\n\n')}\n`;
}

function columns(all: readonly Column[]): string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ name, jsonPath, priority }) => [
    name.toUpperCase(),
    code(jsonPath),
    priority === undefined ? '' : 'with `-o wide`',
  ]);
  return ['## Columns of kubectl get', markdownTable(['column', 'shows', ''], rows).trimEnd()];
}

/** The object at `path`, then the objects within it. */
function sections(path: string, schema: StructuralSchema): string[] {
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return [];
  const rows = properties.map(([name, field]) => [
    code(name),
    typeOf(field),
    schema.required?.includes(name) ? 'yes' : '',
    [field.description ?? '', ...limits(field)].filter((part) => part !== '').join(' '),
  ]);
  const rules = (schema['x-kubernetes-validations'] ?? []).map(({ rule, message = rule }) => `- ${message}`);
  return [
    `${path.includes('.') ? '###' : '##'} ${path}`,
    ...(schema.description ? [schema.description] : []),
    markdownTable(['field', 'type', 'required', 'meaning'], rows).trimEnd(),
    ...(rules.length > 0 ? [`The API server checks:\n\n${rules.join('\n')}`] : []),
    ...properties.flatMap(([name, field]) => [
      ...sections(`${path}.${name}`, field),
      ...(field.items ? sections(`${path}.${name}[]`, field.items) : []),
    ]),
  ];
}

function typeOf({
  type,
  format,
  items,
  additionalProperties,
  pattern,
  enum: values,
}: StructuralSchema): string {
  if (values) return values.map((value) => code(String(value))).join(', ');
  if (type === 'array') return `list of ${items ? typeOf(items) : 'anything'}`;
  if (type === 'object' && typeof additionalProperties === 'object')
    return `map to ${typeOf(additionalProperties)}`;
  if (format === 'date-time') return 'time';
  return pattern?.includes('ns|us') ? 'duration' : (type ?? 'number or text');
}

/** Restrictions that a user may run into; obvious ones are left out. */
function limits(field: StructuralSchema): string[] {
  const { maxItems, maxProperties, 'x-kubernetes-validations': rules = [], properties } = field;
  return [
    ...(maxItems === undefined ? [] : [`At most ${maxItems}.`]),
    ...(maxProperties === undefined ? [] : [`At most ${maxProperties}.`]),
    // Rules of an object stand below its own table.
    ...(properties ? [] : rules.map(({ rule, message = rule }) => `Rule: ${message}.`)),
  ];
}

const code = (text: string): string => `\`${text}\``;
